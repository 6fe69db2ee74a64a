package fakegitlab

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"pawl/internal/fakeforge"
)

// Status is a job of a commit's pipeline that somebody else reports.
type Status struct {
	ID          int64
	SHA         string
	Name        string
	Status      string
	Description string
	TargetURL   string
	CreatedAt   time.Time
	FinishedAt  time.Time
}

func (s *Server) listStatuses(r *http.Request) fakeforge.Reply {
	p := s.findProject(r)
	if p == nil || p.commits[r.PathValue("sha")] == nil {
		return notFound("Commit")
	}
	name, sha := r.URL.Query().Get("name"), r.PathValue("sha")
	found := slices.DeleteFunc(slices.Clone(p.statuses), func(st Status) bool { return st.SHA != sha || (name != "" && st.Name != name) })
	page, next := fakeforge.Page(r, found, "per_page")
	rendered := make([]any, 0, len(page))
	for _, status := range page {
		rendered = append(rendered, renderStatus(status))
	}
	answer := fakeforge.OK(rendered)
	answer.Header = pageHeader(next)
	return answer
}

func renderStatus(status Status) map[string]any {
	return map[string]any{
		"id": status.ID, "sha": status.SHA, "name": status.Name, "status": status.Status, "description": orNull(status.Description),
		"target_url": orNull(status.TargetURL), "created_at": moment(status.CreatedAt), "finished_at": moment(status.FinishedAt),
	}
}

func (s *Server) postStatus(r *http.Request) fakeforge.Reply {
	p, sha := s.findProject(r), r.PathValue("sha")
	if p == nil || p.commits[sha] == nil {
		return notFound("Commit")
	}
	var wanted struct {
		State, Name, Description string
		TargetURL                string `json:"target_url"`
	}
	if decode(r, &wanted) != nil || !slices.Contains([]string{"pending", "running", "success", "failed", "canceled", "skipped"}, wanted.State) {
		return fakeforge.Message(http.StatusBadRequest, "400 Bad request - state does not have a valid value")
	}
	status := Status{SHA: sha, Name: wanted.Name, Status: wanted.State, Description: wanted.Description, TargetURL: wanted.TargetURL}
	at := slices.IndexFunc(p.statuses, func(st Status) bool { return st.SHA == sha && st.Name == wanted.Name && unfinished(st.Status) })
	if at >= 0 && p.statuses[at].Status == wanted.State {
		return fakeforge.Message(http.StatusBadRequest, fmt.Sprintf(
			`Cannot transition status via :enqueue from :%s (Reason(s): Status cannot transition via "enqueue")`, wanted.State))
	}
	return fakeforge.Reply{Status: http.StatusCreated, Body: renderStatus(s.keep(p, status, at))}
}

func unfinished(status string) bool { return status == "pending" || status == "running" }

// keep changes the status that is pending, or appends another.
func (s *Server) keep(p *project, status Status, at int) Status {
	kind, mr := StatusChanged, p.commits[status.SHA]
	if at < 0 {
		kind, at = StatusCreated, len(p.statuses)
		p.statuses = append(p.statuses, Status{ID: s.ID()})
	}
	s.record(kind, mr, s.config.Login, status.Name+": "+status.Status)
	status.ID, status.CreatedAt = p.statuses[at].ID, p.statuses[at].CreatedAt
	if status.CreatedAt.IsZero() {
		status.CreatedAt = mr.UpdatedAt
	}
	if !unfinished(status.Status) {
		status.FinishedAt = mr.UpdatedAt
	}
	p.statuses[at] = status
	return status
}
