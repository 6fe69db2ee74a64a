package fakegithub

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// PullRequest is what the fake shows of a pull request.
type PullRequest struct {
	Number      int
	Title       string
	Body        string
	Author      string
	AuthorIsBot bool
	Closed      bool // true of merged ones too
	Merged      bool
	Draft       bool
	HeadSHA     string
	HeadRef     string
	BaseRef     string
	BaseSHA     string
	Labels      []string
	// Blocked is the message of a permanent 405 to a merge: a conflict, a
	// branch rule. Empty merges.
	Blocked string
	// Behind: the base has commits that the head lacks.
	Behind bool
	// BranchDeleted: the head branch is gone, so it cannot be reopened.
	BranchDeleted bool
	// Queued: it stands in the merge queue. AutoMerge: it is merged once
	// nothing blocks it any more.
	Queued         bool
	AutoMerge      bool
	MergeCommitSHA string
	CreatedAt      time.Time
	UpdatedAt      time.Time
	ClosedAt       time.Time
	MergedAt       time.Time
}

// Messages of refused merges.
const (
	messageHeadModified = "Head branch was modified. Review and try the merge again."
	// MessageBaseModified is the 405 of a race with another merge.
	MessageBaseModified = "Base branch was modified. Review and try the merge again."
	// MessageNotMergeable is the 405 of a conflict, and of a pull request that
	// is closed or merged.
	MessageNotMergeable = "Pull Request is not mergeable"
	messageDraft        = "Pull Request is still a draft"
	// MessageQueue is the 405 of a branch that demands a merge queue.
	MessageQueue = "Repository rule violations found\n\nChanges must be made through the merge queue\n\n"
	// MessageReviewMissing is the 405 of an approval that is not there yet.
	MessageReviewMissing = "At least 1 approving review is required by reviewers with write access."
	// MessageCheckMissing is the 405 of a check that has not reported yet.
	MessageCheckMissing = "Required status check \"ci\" is expected."
)

func (s *Server) getPull(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	return reply{status: http.StatusOK, body: renderPull(repo, pr)}
}

// patchPull takes title, body and state.
func (s *Server) patchPull(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct{ Title, Body, State *string }
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if wanted.State != nil && pr.Merged {
		return failure(http.StatusUnprocessableEntity, "Validation Failed")
	}
	if wanted.State != nil && *wanted.State == "open" && pr.Closed && pr.BranchDeleted {
		return invalid("state cannot be changed. The " + pr.HeadRef + " branch has been deleted.")
	}
	if (wanted.Title != nil && *wanted.Title != pr.Title) || (wanted.Body != nil && *wanted.Body != pr.Body) {
		s.edit(repo, pr, s.config.Login, wanted.Title, wanted.Body)
	}
	switch {
	case wanted.State == nil:
	case *wanted.State == "closed" && !pr.Closed:
		s.close(repo, pr, s.config.Login)
	case *wanted.State == "open" && pr.Closed:
		s.reopen(repo, pr, s.config.Login)
	}
	return reply{status: http.StatusOK, body: renderPull(repo, pr)}
}

func (s *Server) edit(repo *repository, pr *pull, by string, title, body *string) {
	if title != nil {
		pr.Title = *title
	}
	if body != nil {
		pr.Body = *body
	}
	s.changed(repo, pr, Edited, by, pr.Title)
	s.tellPull(repo, pr, "edited", by, "")
}

func (s *Server) close(repo *repository, pr *pull, by string) {
	pr.Closed, pr.Queued, pr.AutoMerge = true, false, false
	s.changed(repo, pr, Closed, by, "")
	pr.ClosedAt = pr.UpdatedAt
	s.tellPull(repo, pr, "closed", by, "")
}

func (s *Server) reopen(repo *repository, pr *pull, by string) {
	pr.Closed = false
	pr.ClosedAt = time.Time{}
	s.changed(repo, pr, Reopened, by, "")
	s.tellPull(repo, pr, "reopened", by, "")
}

func (s *Server) getMerge(r *http.Request) reply {
	_, pr := s.find(r)
	if pr == nil || !pr.Merged {
		return notFound()
	}
	return reply{status: http.StatusNoContent}
}

func (s *Server) putMerge(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct{ SHA string }
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	switch {
	case pr.Closed:
		return failure(http.StatusMethodNotAllowed, MessageNotMergeable)
	case pr.Draft:
		return failure(http.StatusMethodNotAllowed, messageDraft)
	case pr.Blocked != "":
		return failure(http.StatusMethodNotAllowed, pr.Blocked)
	case wanted.SHA != "" && wanted.SHA != pr.HeadSHA:
		return failure(http.StatusConflict, messageHeadModified)
	case repo.queue:
		return failure(http.StatusMethodNotAllowed, MessageQueue)
	}
	s.merge(repo, pr, s.config.Login)
	return reply{status: http.StatusOK, body: map[string]any{
		"sha": pr.MergeCommitSHA, "merged": true, "message": "Pull Request successfully merged",
	}}
}

func (s *Server) merge(repo *repository, pr *pull, by string) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s#%d %s", repo.name, pr.Number, pr.HeadSHA))
	pr.Closed, pr.Merged, pr.Queued = true, true, false
	pr.MergeCommitSHA = hex.EncodeToString(sum[:20])
	s.changed(repo, pr, Merged, by, pr.HeadSHA)
	pr.ClosedAt, pr.MergedAt = pr.UpdatedAt, pr.UpdatedAt
	s.tellPull(repo, pr, "closed", by, "")
}
