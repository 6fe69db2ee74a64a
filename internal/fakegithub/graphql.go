package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// postGraphQL answers three operations, told by the field that they name. As at
// GitHub, what is refused is an error in an answer of status 200.
func (s *Server) postGraphQL(r *http.Request) reply {
	var asked struct {
		Query     string
		Variables struct {
			Owner, Name string
			Number      int
			Input       struct {
				PullRequestID   string `json:"pullRequestId"`
				ExpectedHeadOID string `json:"expectedHeadOid"`
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	switch {
	case strings.Contains(asked.Query, "enqueuePullRequest"):
		return s.graphPull(asked.Variables.Input.PullRequestID, asked.Variables.Input.ExpectedHeadOID, s.enqueue)
	case strings.Contains(asked.Query, "enablePullRequestAutoMerge"):
		return s.graphPull(asked.Variables.Input.PullRequestID, asked.Variables.Input.ExpectedHeadOID, s.enableAutoMerge)
	case strings.Contains(asked.Query, "pullRequest(number"):
		repo := s.repositories[asked.Variables.Owner+"/"+asked.Variables.Name]
		if repo == nil || repo.pulls[asked.Variables.Number] == nil {
			return graphError("NOT_FOUND", "Could not resolve to a PullRequest")
		}
		pr := repo.pulls[asked.Variables.Number]
		return reply{status: http.StatusOK, body: object{"data": object{"repository": object{"pullRequest": object{
			"id": nodeOf(repo, pr), "headRefOid": pr.HeadSHA, "isInMergeQueue": pr.Queued,
		}}}}}
	}
	return graphError("undefinedField", "Field doesn't exist on type 'Query'")
}

func (s *Server) graphPull(node, expected string, do func(*repository, *pull, string) string) reply {
	for _, repo := range s.repositories {
		for _, pr := range repo.pulls {
			if nodeOf(repo, pr) != node {
				continue
			}
			if expected != "" && expected != pr.HeadSHA {
				return graphError("UNPROCESSABLE", "Head sha "+expected+" does not match the pull request's head")
			}
			if refusal := do(repo, pr, s.config.Login); refusal != "" {
				return graphError("UNPROCESSABLE", refusal)
			}
			return reply{status: http.StatusOK, body: object{"data": object{"payload": object{"clientMutationId": nil}}}}
		}
	}
	return graphError("NOT_FOUND", "Could not resolve to a node with the global id of '"+node+"'")
}

func (s *Server) enqueue(repo *repository, pr *pull, by string) string {
	switch {
	case !repo.queue:
		return "The merge queue is not enabled for this branch"
	case pr.Closed:
		return "Pull request is closed"
	case pr.Queued:
		return "Pull request is already in the queue"
	case pr.Blocked != "":
		return "Pull request is not mergeable: " + pr.Blocked
	}
	pr.Queued = true
	s.changed(repo, pr, Enqueued, by, pr.HeadSHA)
	s.tellPull(repo, pr, "enqueued", by, "")
	return ""
}

func (s *Server) enableAutoMerge(repo *repository, pr *pull, by string) string {
	switch {
	case repo.noAutoMerge:
		return "Pull request Auto merge is not allowed for this repository"
	case pr.Closed:
		return "Pull request is closed"
	case pr.Blocked == "" && !repo.queue:
		return "Pull request Pull request is in clean status"
	case pr.AutoMerge:
		return "" // there, and so no change
	}
	pr.AutoMerge = true
	s.changed(repo, pr, AutoMergeEnabled, by, pr.HeadSHA)
	s.tellPull(repo, pr, "auto_merge_enabled", by, "")
	return ""
}

func graphError(kind, message string) reply {
	return reply{status: http.StatusOK, body: object{
		"data": nil, "errors": []object{{"type": kind, "message": message}},
	}}
}

func nodeOf(repo *repository, pr *pull) string { return fmt.Sprintf("PR_%d_%d", repo.id, pr.Number) }

func renderAutoMerge(pr *pull) any {
	if !pr.AutoMerge {
		return nil
	}
	return object{"merge_method": "merge", "enabled_by": nil}
}

// DemandQueue has merges of a repository go through its merge queue.
func (s *Server) DemandQueue(repo string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repositories[repo].queue = true
}

// ForbidAutoMerge is the setting of a repository that does not allow auto-merge.
func (s *Server) ForbidAutoMerge(repo string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repositories[repo].noAutoMerge = true
}

// Enqueue has somebody put it into the queue.
func (s *Server) Enqueue(repo string, number int, by string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.enqueue(found, pr, by) })
}

// SwitchAutoMerge has somebody switch auto-merge on.
func (s *Server) SwitchAutoMerge(repo string, number int, by string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.enableAutoMerge(found, pr, by) })
}

// RunQueue merges what stands in the queue.
func (s *Server) RunQueue(repo string) {
	s.apply(func() reply {
		found := s.repositories[repo]
		for number := 1; number <= len(found.pulls); number++ {
			if pr := found.pulls[number]; pr != nil && pr.Queued {
				s.merge(found, pr, "github-merge-queue[bot]")
			}
		}
		return reply{}
	})
}
