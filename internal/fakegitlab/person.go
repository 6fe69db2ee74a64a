package fakegitlab

import (
	"cmp"
	"fmt"
	"slices"
)

// AddProject makes a project: path is group/name.
func (s *Server) AddProject(id int64, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects[id] = &project{id: id, path: path, requests: make(map[int]*request), commits: make(map[string]*request)}
}

// AddUser makes an account.
func (s *Server) AddUser(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.userID(login)
}

// Rename gives a project another path. Its id stays, the old path is gone.
func (s *Server) Rename(id int64, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects[id].path = path
}

// SetReadOnly gives the token the scope read_api.
func (s *Server) SetReadOnly() { s.set(func() { s.readOnly = true }) }

// SetPowerless has the account neither merge nor approve.
func (s *Server) SetPowerless() { s.set(func() { s.powerless = true }) }

// SetSingleReviewer makes it the free tier.
func (s *Server) SetSingleReviewer() { s.set(func() { s.singleReviewer = true }) }

func (s *Server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Open opens a merge request and returns its iid. What is not given is filled in.
func (s *Server) Open(id int64, with MergeRequest) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.projects[id]
	with.IID = len(p.requests) + 1
	with.Title = cmp.Or(with.Title, fmt.Sprintf("Change %d", with.IID))
	with.Author = cmp.Or(with.Author, "ann")
	with.State = cmp.Or(with.State, "opened")
	with.SHA = cmp.Or(with.SHA, fmt.Sprintf("%040x", with.IID))
	with.SourceBranch = cmp.Or(with.SourceBranch, fmt.Sprintf("change-%d", with.IID))
	with.TargetBranch = cmp.Or(with.TargetBranch, "main")
	with.Status = cmp.Or(with.Status, "mergeable")
	with.Labels = slices.Clone(with.Labels)
	mr := &request{MergeRequest: with}
	p.requests[with.IID] = mr
	p.commits[with.SHA] = mr
	s.record(Opened, mr, with.Author, with.SHA)
	mr.CreatedAt = mr.UpdatedAt
	return with.IID
}

// person makes a change as somebody else than the caller of the API.
func (s *Server) person(id int64, iid int, change func(*request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.mustFind(id, iid))
}

// Push moves the head.
func (s *Server) Push(id int64, iid int, by, sha string) {
	s.person(id, iid, func(mr *request) {
		mr.SHA = sha
		s.projects[id].commits[sha] = mr
		s.record(Pushed, mr, by, sha)
	})
}

// Close closes without merging.
func (s *Server) Close(id int64, iid int, by string) {
	s.person(id, iid, func(mr *request) { s.close(mr, by) })
}

// Merge merges.
func (s *Server) Merge(id int64, iid int, by string) {
	s.person(id, iid, func(mr *request) { s.merge(mr, by) })
}

// SetStatus changes detailed_merge_status.
func (s *Server) SetStatus(id int64, iid int, status string) {
	s.person(id, iid, func(mr *request) { mr.Status = status })
}

// Comment posts a note and returns its id.
func (s *Server) Comment(id int64, iid int, by, body string) int64 {
	var note Note
	s.person(id, iid, func(mr *request) {
		s.userID(by)
		note = s.note(mr, by, body)
	})
	return note.ID
}

// Notice has GitLab note something by itself.
func (s *Server) Notice(id int64, iid int, by, body string) {
	s.person(id, iid, func(mr *request) {
		mr.notes = append(mr.notes, Note{ID: s.ID(), Author: by, Body: body, System: true})
	})
}

// Request asks for a review.
func (s *Server) Request(id int64, iid int, login string) {
	s.person(id, iid, func(mr *request) {
		s.userID(login)
		mr.reviewers = append(mr.reviewers, login)
		s.record(ReviewRequested, mr, mr.Author, login)
	})
}

// Approve approves.
func (s *Server) Approve(id int64, iid int, by string) {
	s.person(id, iid, func(mr *request) {
		mr.approvals = append(mr.approvals, by)
		s.record(Approved, mr, by, mr.SHA)
	})
}

// MergeRequest returns what is shown now.
func (s *Server) MergeRequest(id int64, iid int) MergeRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.mustFind(id, iid).MergeRequest
	shown.Labels = slices.Clone(shown.Labels)
	return shown
}

// Notes returns all notes, oldest first.
func (s *Server) Notes(id int64, iid int) []Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mustFind(id, iid).notes)
}

// Approvals returns the logins of who has approved.
func (s *Server) Approvals(id int64, iid int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mustFind(id, iid).approvals)
}

// Reviewers returns the logins of who is asked.
func (s *Server) Reviewers(id int64, iid int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mustFind(id, iid).reviewers)
}

// Statuses returns the statuses of a commit, in order.
func (s *Server) Statuses(id int64, sha string) []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.projects[id].statuses), func(st Status) bool { return st.SHA != sha })
}
