package fakegithub

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Status is a commit status.
type Status struct {
	ID          int64
	Context     string
	State       string
	Description string
	TargetURL   string
	Creator     string
	CreatedAt   time.Time
}

const (
	maxStatuses    = 1000 // a sha and context
	maxDescription = 140  // characters
)

// listStatuses lists all states of all contexts, newest first.
func (s *Server) listStatuses(r *http.Request) reply {
	_, found := s.findCommit(r)
	if found == nil {
		return reply{status: http.StatusOK, body: []object{}}
	}
	newest := slices.Clone(found.statuses)
	slices.Reverse(newest)
	shown, header := page(r, newest)
	body := make([]object, 0, len(shown))
	for _, status := range shown {
		body = append(body, renderStatus(status))
	}
	return reply{status: http.StatusOK, header: header, body: body}
}

func (s *Server) postStatus(r *http.Request) reply {
	repo, found := s.findCommit(r)
	if repo == nil {
		return notFound()
	}
	var wanted struct {
		Context, State, Description string
		TargetURL                   string `json:"target_url"`
	}
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if wanted.Context == "" {
		wanted.Context = "default"
	}
	switch {
	case found == nil:
		return failure(http.StatusUnprocessableEntity, "No commit found for SHA: "+r.PathValue("sha"))
	case !slices.Contains([]string{"error", "failure", "pending", "success"}, wanted.State):
		return invalid("state is not included in the list")
	case len([]rune(wanted.Description)) > maxDescription:
		return invalid("description is too long (maximum is 140 characters)")
	case found.states(wanted.Context) >= maxStatuses:
		return invalid("This SHA and context has reached the maximum number of statuses.")
	}
	status := s.status(repo, found, Status{
		Context: wanted.Context, State: wanted.State, Description: wanted.Description, TargetURL: wanted.TargetURL, Creator: s.config.Login,
	})
	return reply{status: http.StatusCreated, body: renderStatus(status)}
}

func (s *Server) status(repo *repository, at *commit, status Status) Status {
	status.ID, status.CreatedAt = s.id(), s.tick()
	at.statuses = append(at.statuses, status)
	s.commitChanged(repo, at.sha, StatusCreated, status.Creator, status.Context+" "+status.State)
	return status
}

func (c *commit) states(context string) int {
	count := 0
	for _, status := range c.statuses {
		if strings.EqualFold(status.Context, context) {
			count++
		}
	}
	return count
}

// SetStatus has somebody set a status of the head.
func (s *Server) SetStatus(repo string, number int, by, context, state string) {
	s.person(repo, number, func(found *repository, pr *pull) {
		s.status(found, found.commit(pr.HeadSHA), Status{Context: context, State: state, Creator: by})
	})
}

// Statuses returns all commit statuses of a sha, oldest first.
func (s *Server) Statuses(repo, sha string) []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.repositories[repo].commits[sha]
	if found == nil {
		return nil
	}
	return slices.Clone(found.statuses)
}

func renderStatus(status Status) object {
	return object{
		"id": status.ID, "context": status.Context, "state": status.State, "description": orNull(status.Description),
		"target_url": orNull(status.TargetURL), "creator": renderUser(status.Creator), "created_at": moment(status.CreatedAt),
		"updated_at": moment(status.CreatedAt),
	}
}
