package fakegithub

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

func (s *Server) listLabels(r *http.Request) reply {
	_, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	labels, header := page(r, pr.Labels)
	return reply{status: http.StatusOK, header: header, body: renderLabels(labels)}
}

// postLabels takes {"labels": [...]} and a bare array, as GitHub does.
func (s *Server) postLabels(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var raw json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	var wanted []string
	if json.Unmarshal(raw, &wanted) != nil {
		var object struct{ Labels []string }
		if err := json.Unmarshal(raw, &object); err != nil {
			return failure(http.StatusUnprocessableEntity, "Validation Failed")
		}
		wanted = object.Labels
	}
	for _, label := range wanted {
		s.label(repo, pr, s.config.Login, label)
	}
	return reply{status: http.StatusOK, body: renderLabels(pr.Labels)}
}

// label adds a label; one that is there is no change.
func (s *Server) label(repo *repository, pr *pull, by, label string) {
	if indexLabel(pr.Labels, label) >= 0 {
		return
	}
	pr.Labels = append(pr.Labels, label)
	s.changed(repo, pr, Labeled, by, label)
	s.tellPull(repo, pr, "labeled", by, label)
}

func (s *Server) deleteLabel(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	if !s.unlabel(repo, pr, s.config.Login, r.PathValue("name")) {
		return failure(http.StatusNotFound, "Label does not exist")
	}
	return reply{status: http.StatusOK, body: renderLabels(pr.Labels)}
}

func (s *Server) unlabel(repo *repository, pr *pull, by, label string) bool {
	at := indexLabel(pr.Labels, label)
	if at < 0 {
		return false
	}
	label = pr.Labels[at]
	pr.Labels = slices.Delete(slices.Clone(pr.Labels), at, at+1)
	s.changed(repo, pr, Unlabeled, by, label)
	s.tellPull(repo, pr, "unlabeled", by, label)
	return true
}

func indexLabel(labels []string, label string) int {
	return slices.IndexFunc(labels, func(l string) bool { return strings.EqualFold(l, label) })
}
