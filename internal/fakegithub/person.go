package fakegithub

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// AddRepository makes a repository: name is owner/name.
func (s *Server) AddRepository(id int64, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repositories[name] = &repository{id: id, name: name, pulls: make(map[int]*pull), commits: make(map[string]*commit)}
}

// SetNow changes the clock.
func (s *Server) SetNow(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Now = now
}

// Rename gives a repository another name. Its id stays, the old name is gone.
func (s *Server) Rename(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	repo := s.repositories[from]
	if repo == nil {
		panic("fakegithub: no repository " + from)
	}
	delete(s.repositories, from)
	repo.name = to
	s.repositories[to] = repo
	for _, holder := range s.installations {
		if holder.repositories[from] {
			delete(holder.repositories, from)
			holder.repositories[to] = true
		}
	}
}

// Open opens a pull request and returns its number. A number of zero is the
// next one; what else is not given is filled in.
func (s *Server) Open(repo string, with PullRequest) int {
	var number int
	s.apply(func() reply {
		found := s.repositories[repo]
		if found == nil {
			panic("fakegithub: no repository " + repo)
		}
		number = cmp.Or(with.Number, len(found.pulls)+1)
		with.Number = number
		with.Title = cmp.Or(with.Title, fmt.Sprintf("Change %d", number))
		with.Author = cmp.Or(with.Author, "octocat")
		with.HeadSHA = cmp.Or(with.HeadSHA, fmt.Sprintf("%040x", number))
		with.HeadRef = cmp.Or(with.HeadRef, fmt.Sprintf("change-%d", number))
		with.BaseRef = cmp.Or(with.BaseRef, "main")
		with.BaseSHA = cmp.Or(with.BaseSHA, fmt.Sprintf("%040x", 0xba5e))
		pr := &pull{PullRequest: with}
		found.pulls[number] = pr
		found.commit(with.HeadSHA)
		s.changed(found, pr, Opened, with.Author, pr.HeadSHA)
		pr.CreatedAt = pr.UpdatedAt
		s.tellPull(found, pr, "opened", with.Author, "")
		return reply{}
	})
	return number
}

// Push moves the head.
func (s *Server) Push(repo string, number int, by, sha string) {
	s.person(repo, number, func(found *repository, pr *pull) {
		s.move(found, pr, sha)
		s.changed(found, pr, Pushed, by, sha)
		s.tellPull(found, pr, "synchronize", by, "")
	})
}

// PushUnseen moves the head without a webhook and without a new updated_at:
// the delivery was lost.
func (s *Server) PushUnseen(repo string, number int, sha string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.move(found, pr, sha) })
}

// Close closes without merging.
func (s *Server) Close(repo string, number int, by string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.close(found, pr, by) })
}

// Reopen opens what was closed.
func (s *Server) Reopen(repo string, number int, by string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.reopen(found, pr, by) })
}

// Merge merges.
func (s *Server) Merge(repo string, number int, by string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.merge(found, pr, by) })
}

// SetDraft makes a draft of it, or makes it ready for review.
func (s *Server) SetDraft(repo string, number int, by string, draft bool) {
	s.person(repo, number, func(found *repository, pr *pull) {
		pr.Draft = draft
		action := "ready_for_review"
		if draft {
			action = "converted_to_draft"
		}
		s.changed(found, pr, Edited, by, action)
		s.tellPull(found, pr, action, by, "")
	})
}

// Label adds labels.
func (s *Server) Label(repo string, number int, by string, labels ...string) {
	s.person(repo, number, func(found *repository, pr *pull) {
		for _, label := range labels {
			s.label(found, pr, by, label)
		}
	})
}

// Unlabel removes a label.
func (s *Server) Unlabel(repo string, number int, by, label string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.unlabel(found, pr, by, label) })
}

// Comment writes a comment and returns its id.
func (s *Server) Comment(repo string, number int, by, body string) int64 {
	var id int64
	s.person(repo, number, func(found *repository, pr *pull) { id = s.comment(found, pr, by, body).ID })
	return id
}

// EditComment changes the text of a comment.
func (s *Server) EditComment(repo string, number int, id int64, by, body string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.editComment(found, pr, placeOf(pr, id), by, body) })
}

// RemoveComment deletes a comment.
func (s *Server) RemoveComment(repo string, number int, id int64, by string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.removeComment(found, pr, placeOf(pr, id), by) })
}

func placeOf(pr *pull, id int64) int {
	return slices.IndexFunc(pr.comments, func(c Comment) bool { return c.ID == id })
}

// Block makes merges fail with a 405 and this message; empty lets them pass
// again, and what waited for it is merged.
func (s *Server) Block(repo string, number int, message string) {
	s.person(repo, number, func(found *repository, pr *pull) {
		pr.Blocked = message
		if message == "" && pr.AutoMerge && !pr.Closed {
			s.merge(found, pr, s.config.Login)
		}
	})
}

func (s *Server) person(repo string, number int, do func(*repository, *pull)) {
	s.apply(func() reply {
		do(s.mustFind(repo, number))
		return reply{}
	})
}

// PullRequest returns what is shown of a pull request.
func (s *Server) PullRequest(repo string, number int) PullRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, pr := s.mustFind(repo, number)
	shown := pr.PullRequest
	shown.Labels = slices.Clone(shown.Labels)
	return shown
}

// Comments returns the comments that are there, oldest first.
func (s *Server) Comments(repo string, number int) []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, pr := s.mustFind(repo, number)
	return slices.Clone(pr.comments)
}
