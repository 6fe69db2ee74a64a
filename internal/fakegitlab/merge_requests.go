package fakegitlab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"pawl/internal/fakeforge"
)

// MergeRequest is what the fake shows of a merge request.
type MergeRequest struct {
	IID    int
	Title  string
	Author string
	// State is opened, closed, merged or locked.
	State        string
	SHA          string
	SourceBranch string
	TargetBranch string
	Labels       []string
	// Status is detailed_merge_status: "mergeable" merges, all else does not.
	Status string
	// AutoMerge: it is merged once nothing is in the way any more.
	AutoMerge      bool
	MergeCommitSHA string
	// Message is that of the commit that the merge made; Squashed, whether it
	// made one of all.
	Message   string
	Squashed  bool
	CreatedAt time.Time
	UpdatedAt time.Time
	ClosedAt  time.Time
	MergedAt  time.Time
}

func (s *Server) getRequest(r *http.Request) fakeforge.Reply {
	p, mr := s.find(r)
	if mr == nil {
		return notFound("Not found")
	}
	return fakeforge.OK(s.render(p, mr))
}

// putRequest takes state_event, add_labels, remove_labels and reviewer_ids.
func (s *Server) putRequest(r *http.Request) fakeforge.Reply {
	p, mr := s.find(r)
	if mr == nil {
		return notFound("Not found")
	}
	var wanted struct {
		StateEvent   string  `json:"state_event"`
		AddLabels    string  `json:"add_labels"`
		RemoveLabels string  `json:"remove_labels"`
		ReviewerIDs  []int64 `json:"reviewer_ids"`
	}
	if decode(r, &wanted) != nil {
		return fakeforge.Message(http.StatusBadRequest, "400 Bad request")
	}
	switch {
	case wanted.StateEvent == "close" && mr.State == "opened":
		s.close(mr, s.config.Login)
	case wanted.StateEvent == "reopen" && mr.State == "closed":
		mr.State, mr.ClosedAt = "opened", time.Time{}
		s.record(Reopened, mr, s.config.Login, "")
	}
	s.label(mr, s.config.Login, wanted.AddLabels, wanted.RemoveLabels)
	if wanted.ReviewerIDs != nil {
		s.setReviewers(mr, wanted.ReviewerIDs)
	}
	return fakeforge.OK(s.render(p, mr))
}

func (s *Server) close(mr *request, by string) {
	mr.State, mr.AutoMerge = "closed", false
	s.record(Closed, mr, by, "")
	mr.ClosedAt = mr.UpdatedAt
}

func (s *Server) label(mr *request, by, add, remove string) {
	for _, label := range split(add) {
		if !slices.Contains(mr.Labels, label) {
			mr.Labels = append(mr.Labels, label)
			s.record(Labeled, mr, by, label)
		}
	}
	for _, label := range split(remove) {
		if at := slices.Index(mr.Labels, label); at >= 0 {
			mr.Labels = slices.Delete(mr.Labels, at, at+1)
			s.record(Unlabeled, mr, by, label)
		}
	}
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func (s *Server) setReviewers(mr *request, ids []int64) {
	if s.singleReviewer {
		ids = ids[:min(1, len(ids))]
	}
	before := mr.reviewers
	mr.reviewers = nil
	for login, id := range s.users {
		if slices.Contains(ids, id) {
			mr.reviewers = append(mr.reviewers, login)
		}
	}
	slices.Sort(mr.reviewers)
	for _, login := range mr.reviewers {
		if !slices.Contains(before, login) {
			s.record(ReviewRequested, mr, s.config.Login, login)
		}
	}
}

// putMerge looks at everything else before it compares the sha.
func (s *Server) putMerge(r *http.Request) fakeforge.Reply {
	p, mr := s.find(r)
	if mr == nil {
		return notFound("Not found")
	}
	var wanted struct {
		SHA                string `json:"sha"`
		Squash             bool   `json:"squash"`
		AutoMerge          bool   `json:"auto_merge"`
		WhenSucceeds       bool   `json:"merge_when_pipeline_succeeds"`
		MergeCommitMessage string `json:"merge_commit_message"`
		SquashMessage      string `json:"squash_commit_message"`
	}
	if decode(r, &wanted) != nil {
		return fakeforge.Message(http.StatusBadRequest, "400 Bad request")
	}
	auto := wanted.AutoMerge || wanted.WhenSucceeds
	never := mr.Status == "conflict" || mr.Status == "checking"
	switch {
	case s.powerless:
		return fakeforge.Message(http.StatusUnauthorized, "401 Unauthorized")
	case mr.State != "opened", mr.Status == "checking", mr.Status != "mergeable" && !never && !auto:
		return fakeforge.Message(http.StatusMethodNotAllowed, "405 Method Not Allowed")
	case mr.Status == "conflict":
		return fakeforge.Message(http.StatusUnprocessableEntity, "Branch cannot be merged")
	case wanted.SHA != "" && wanted.SHA != mr.SHA:
		return fakeforge.Message(http.StatusConflict, "SHA does not match HEAD of source branch: "+mr.SHA)
	case mr.Status != "mergeable":
		if !mr.AutoMerge {
			mr.AutoMerge = true
			s.record(AutoMergeEnabled, mr, s.config.Login, mr.SHA)
		}
		return fakeforge.OK(s.render(p, mr))
	}
	mr.Squashed = wanted.Squash
	mr.Message = wanted.MergeCommitMessage + wanted.SquashMessage
	s.merge(mr, s.config.Login)
	return fakeforge.OK(s.render(p, mr))
}

func (s *Server) merge(mr *request, by string) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", mr.IID, mr.SHA))
	mr.State, mr.MergeCommitSHA = "merged", hex.EncodeToString(sum[:20])
	s.record(Merged, mr, by, mr.SHA)
	mr.MergedAt = mr.UpdatedAt
}

func (s *Server) render(p *project, mr *request) map[string]any {
	reviewers := []any{}
	for _, login := range mr.reviewers {
		reviewers = append(reviewers, s.user(login))
	}
	labels := mr.Labels
	if labels == nil {
		labels = []string{}
	}
	return map[string]any{
		"id": 9000 + mr.IID, "iid": mr.IID, "project_id": p.id, "title": mr.Title, "description": nil, "state": mr.State,
		"created_at": moment(mr.CreatedAt), "updated_at": moment(mr.UpdatedAt), "merged_at": moment(mr.MergedAt), "closed_at": moment(mr.ClosedAt),
		"target_branch": mr.TargetBranch, "source_branch": mr.SourceBranch, "author": s.user(mr.Author),
		"assignees": []any{}, "reviewers": reviewers, "source_project_id": p.id, "target_project_id": p.id,
		"labels": labels, "draft": false, "milestone": nil, "merge_when_pipeline_succeeds": mr.AutoMerge,
		"detailed_merge_status": mr.detailedStatus(), "sha": mr.SHA, "merge_commit_sha": orNull(mr.MergeCommitSHA), "squash_commit_sha": nil,
		"references": map[string]string{"full": fmt.Sprintf("%s!%d", p.path, mr.IID)}, "discussion_locked": nil,
	}
}

func (mr *request) detailedStatus() string {
	if mr.State != "opened" {
		return "not_open"
	}
	return mr.Status
}

// moment is how the API writes times; null is a time that was not yet.
func moment(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Format("2006-01-02T15:04:05.000Z07:00")
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
