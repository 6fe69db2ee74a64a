package fakegitea

import (
	"cmp"
	"fmt"
	"slices"
)

// Open opens a pull request and returns its number. What is not given is filled
// in.
func (s *Server) Open(with PullRequest) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	with.Number = len(s.pulls) + 1
	with.Title = cmp.Or(with.Title, fmt.Sprintf("Change %d", with.Number))
	with.Author = cmp.Or(with.Author, "ann")
	with.HeadSHA = cmp.Or(with.HeadSHA, fmt.Sprintf("%040x", with.Number))
	with.Labels = slices.Clone(with.Labels)
	pr := &pull{PullRequest: with}
	s.pulls[with.Number] = pr
	s.commits[with.HeadSHA] = &commit{pull: pr, parents: []string{baseOld}}
	pr.CreatedAt = s.record(Opened, pr, with.Author, with.HeadSHA)
	return with.Number
}

// person makes a change as somebody else than the caller of the API.
func (s *Server) person(number int, change func(*pull)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.mustFind(number))
}

// Push moves the head.
func (s *Server) Push(number int, by, sha string) {
	s.person(number, func(pr *pull) {
		s.commits[sha] = &commit{pull: pr, parents: []string{pr.HeadSHA}}
		pr.HeadSHA = sha
		s.record(Pushed, pr, by, sha)
	})
}

// Close closes without merging.
func (s *Server) Close(number int, by string) {
	s.person(number, func(pr *pull) { s.close(pr, by) })
}

// Merge merges.
func (s *Server) Merge(number int, by string) {
	s.person(number, func(pr *pull) { s.merge(pr, by) })
}

// Comment posts a comment and returns its id.
func (s *Server) Comment(number int, by, body string) int64 {
	var comment Comment
	s.person(number, func(pr *pull) { comment = s.comment(pr, by, body) })
	return comment.ID
}

// Review gives a review of the head.
func (s *Server) Review(number int, by, state string) {
	s.person(number, func(pr *pull) { s.review(pr, by, state, "", pr.HeadSHA) })
}

// AddLabels makes labels of the repository.
func (s *Server) AddLabels(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		s.labels = append(s.labels, Label{ID: s.ID(), Name: name})
	}
}

// AddOrgLabels makes the owner an organization with labels.
func (s *Server) AddOrgLabels(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		s.orgLabels = append(s.orgLabels, Label{ID: s.ID(), Name: name})
	}
}

// SetPowerless has the account neither merge nor dismiss.
func (s *Server) SetPowerless() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.powerless = true
}

// PullRequest returns what is shown now.
func (s *Server) PullRequest(number int) PullRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.mustFind(number).PullRequest
	shown.Labels = slices.Clone(shown.Labels)
	return shown
}

// Comments returns all comments, oldest first.
func (s *Server) Comments(number int) []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mustFind(number).comments)
}

// Reviews returns all reviews and requests, oldest first.
func (s *Server) Reviews(number int) []Review {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mustFind(number).reviews)
}

// Statuses returns the statuses of a commit, oldest first.
func (s *Server) Statuses(sha string) []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commits[sha].statuses)
}
