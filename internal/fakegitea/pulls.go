package fakegitea

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"time"

	"pawl/internal/fakeforge"
)

// PullRequest is what the fake shows of a pull request.
type PullRequest struct {
	Number  int
	Title   string
	Author  string
	Closed  bool // true of merged ones too
	Merged  bool
	HeadSHA string
	Labels  []string
	// Blocked is the text of a 405 to a merge. Conflict refuses it with a 409.
	Blocked  string
	Conflict bool
	// Behind: the base has commits that the head lacks.
	Behind bool
	// AutoMerge shows in no answer of the API.
	AutoMerge      bool
	MergeCommitSHA string
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

const (
	baseOld = "00000000000000000000000000000000000ba5e1"
	baseNew = "00000000000000000000000000000000000ba5e2"
)

func (s *Server) getPull(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	return fakeforge.OK(s.render(pr))
}

func (s *Server) patchPull(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct{ State string }
	if decode(r, &wanted) != nil {
		return fakeforge.Message(http.StatusUnprocessableEntity, "invalid body")
	}
	switch {
	case pr.Merged:
		return fakeforge.Message(http.StatusPreconditionFailed, "cannot change state of this pull request, it was already merged")
	case wanted.State == "closed" && !pr.Closed:
		s.close(pr, s.config.Login)
	case wanted.State == "open" && pr.Closed:
		pr.Closed = false
		s.record(Reopened, pr, s.config.Login, "")
	}
	return fakeforge.Reply{Status: http.StatusCreated, Body: s.render(pr)}
}

func (s *Server) close(pr *pull, by string) {
	pr.Closed, pr.AutoMerge = true, false
	s.record(Closed, pr, by, "")
}

func (s *Server) postMerge(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	if pr == nil || (pr.Closed && !pr.Merged) {
		return notFound()
	}
	var wanted struct {
		Do     string
		Head   string `json:"head_commit_id"`
		Checks bool   `json:"merge_when_checks_succeed"`
	}
	if decode(r, &wanted) != nil {
		return fakeforge.Message(http.StatusUnprocessableEntity, "invalid body")
	}
	switch {
	case s.powerless:
		return fakeforge.Message(http.StatusMethodNotAllowed, "User not allowed to merge PR")
	case pr.Merged:
		return fakeforge.Message(http.StatusMethodNotAllowed, "")
	case pr.Blocked != "" && wanted.Checks && pr.AutoMerge:
		return fakeforge.Message(http.StatusConflict, fmt.Sprintf("pull request is already scheduled to auto merge when checks succeed [pull_id: %d]", pr.Number))
	case pr.Blocked != "" && wanted.Checks:
		pr.AutoMerge = true
		s.record(AutoMergeEnabled, pr, s.config.Login, pr.HeadSHA)
		return fakeforge.Reply{Status: http.StatusCreated}
	case pr.Blocked != "":
		return fakeforge.Message(http.StatusMethodNotAllowed, pr.Blocked)
	case wanted.Head != "" && wanted.Head != pr.HeadSHA:
		return fakeforge.Message(http.StatusConflict, "head out of date")
	case pr.Conflict:
		return fakeforge.Reply{Status: http.StatusConflict, Body: map[string]string{"Style": wanted.Do, "StdErr": "CONFLICT (content)"}}
	}
	s.merge(pr, s.config.Login)
	return fakeforge.Reply{Status: http.StatusOK}
}

func (s *Server) merge(pr *pull, by string) {
	pr.Closed, pr.Merged, pr.MergeCommitSHA = true, true, shaOf("merge", pr)
	s.record(Merged, pr, by, pr.HeadSHA)
}

func shaOf(what string, pr *pull) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", what, pr.Number, pr.HeadSHA))
	return hex.EncodeToString(sum[:20])
}

// postUpdate merges the base into the head, whatever it is by now.
func (s *Server) postUpdate(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	switch {
	case pr == nil:
		return notFound()
	case pr.Closed:
		return fakeforge.Message(http.StatusUnprocessableEntity, "")
	case !pr.Behind:
		return fakeforge.Message(http.StatusInternalServerError, "")
	case pr.Conflict:
		return fakeforge.Message(http.StatusConflict, "merge failed because of conflict")
	}
	before := pr.HeadSHA
	pr.HeadSHA, pr.Behind = shaOf("update", pr), false
	s.commits[pr.HeadSHA] = &commit{pull: pr, parents: []string{before, baseNew}}
	s.record(BranchUpdated, pr, s.config.Login, pr.HeadSHA)
	return fakeforge.Reply{Status: http.StatusOK}
}

func (s *Server) getCommit(r *http.Request) fakeforge.Reply {
	found := s.commits[r.PathValue("sha")]
	if found == nil {
		return notFound()
	}
	parents := []any{}
	for _, sha := range found.parents {
		parents = append(parents, map[string]string{"sha": sha})
	}
	return fakeforge.OK(map[string]any{"sha": r.PathValue("sha"), "parents": parents})
}

func (s *Server) render(pr *pull) map[string]any {
	state, mergeBase := "open", baseNew
	if pr.Closed {
		state = "closed"
	}
	if pr.Behind {
		mergeBase = baseOld
	}
	labels := []any{}
	for _, name := range pr.Labels {
		labels = append(labels, s.labelNamed(name))
	}
	repository := map[string]any{"id": s.id, "full_name": s.name}
	return map[string]any{
		"id": 9000 + pr.Number, "number": pr.Number, "user": user(pr.Author), "title": pr.Title, "body": "", "state": state,
		"labels": labels, "milestone": nil, "assignees": nil, "requested_reviewers": nil, "draft": false, "is_locked": false,
		"merged": pr.Merged, "merged_at": nil, "merge_commit_sha": orNull(pr.MergeCommitSHA), "merge_base": mergeBase,
		"created_at": pr.CreatedAt, "updated_at": pr.UpdatedAt, "closed_at": nil,
		"base": map[string]any{"ref": "main", "sha": baseNew, "repo_id": s.id, "repo": repository},
		"head": map[string]any{"ref": fmt.Sprintf("change-%d", pr.Number), "sha": pr.HeadSHA, "repo_id": s.id, "repo": repository},
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (s *Server) labelNamed(name string) Label {
	all := slices.Concat(s.labels, s.orgLabels)
	if at := slices.IndexFunc(all, func(l Label) bool { return l.Name == name }); at >= 0 {
		return all[at]
	}
	made := Label{ID: s.ID(), Name: name}
	s.labels = append(s.labels, made)
	return made
}

func (s *Server) listLabels(r *http.Request) fakeforge.Reply {
	return paged(r, s.labels, func(l Label) any { return l })
}

func (s *Server) listOrgLabels(r *http.Request) fakeforge.Reply {
	if s.orgLabels == nil {
		return notFound() // the owner is a person
	}
	return paged(r, s.orgLabels, func(l Label) any { return l })
}

func (s *Server) postLabels(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	var wanted struct{ Labels []int64 }
	if pr == nil || decode(r, &wanted) != nil {
		return notFound()
	}
	for _, label := range slices.Concat(s.labels, s.orgLabels) {
		if slices.Contains(wanted.Labels, label.ID) && !slices.Contains(pr.Labels, label.Name) {
			pr.Labels = append(pr.Labels, label.Name)
			s.record(Labeled, pr, s.config.Login, label.Name)
		}
	}
	return fakeforge.OK([]any{})
}

func (s *Server) deleteLabel(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	at := slices.IndexFunc(pr.Labels, func(name string) bool { return fmt.Sprint(s.labelNamed(name).ID) == r.PathValue("id") })
	if at < 0 {
		return notFound()
	}
	s.record(Unlabeled, pr, s.config.Login, pr.Labels[at])
	pr.Labels = slices.Delete(pr.Labels, at, at+1)
	return fakeforge.Reply{Status: http.StatusNoContent}
}
