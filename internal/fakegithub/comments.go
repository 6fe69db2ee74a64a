package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Comment is a comment on a pull request.
type Comment struct {
	ID        int64
	Author    string
	Body      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

const (
	defaultPerPage = 30
	maxPerPage     = 100
	maxComment     = 65536 // characters
)

func (s *Server) listComments(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	comments, header := page(r, pr.comments)
	body := make([]any, 0, len(comments))
	for _, comment := range comments {
		body = append(body, renderComment(repo, pr, comment))
	}
	return reply{status: http.StatusOK, header: header, body: body}
}

// page cuts out what page and per_page ask for, and names its neighbours in
// the Link header.
func page[T any](r *http.Request, all []T) ([]T, http.Header) {
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("per_page"))
	if err != nil || size < 1 {
		size = defaultPerPage
	}
	size = min(size, maxPerPage)
	number, err := strconv.Atoi(query.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	last := max(1, (len(all)+size-1)/size)
	from := min((number-1)*size, len(all))
	return all[from:min(from+size, len(all))], links(r, number, last)
}

func links(r *http.Request, number, last int) http.Header {
	var parts []string
	link := func(page int, rel string) {
		to := url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path}
		query := r.URL.Query()
		query.Set("page", strconv.Itoa(page))
		to.RawQuery = query.Encode()
		parts = append(parts, fmt.Sprintf(`<%s>; rel=%q`, to.String(), rel))
	}
	if number > 1 {
		link(number-1, "prev")
		link(1, "first")
	}
	if number < last {
		link(number+1, "next")
		link(last, "last")
	}
	if len(parts) == 0 {
		return nil
	}
	return http.Header{"Link": {strings.Join(parts, ", ")}}
}

func (s *Server) postComment(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct{ Body string }
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if wanted.Body == "" || len([]rune(wanted.Body)) > maxComment {
		return failure(http.StatusUnprocessableEntity, "Validation Failed")
	}
	comment := s.comment(repo, pr, s.config.Login, wanted.Body)
	return reply{status: http.StatusCreated, body: renderComment(repo, pr, comment)}
}

func (s *Server) comment(repo *repository, pr *pull, by, body string) Comment {
	s.changed(repo, pr, CommentCreated, by, body)
	comment := Comment{ID: s.id(), Author: by, Body: body, CreatedAt: pr.UpdatedAt, UpdatedAt: pr.UpdatedAt}
	pr.comments = append(pr.comments, comment)
	s.tellComment(repo, pr, comment, "created", by)
	return comment
}

// patchComment changes the text of a comment.
func (s *Server) patchComment(r *http.Request) reply {
	repo, pr, at := s.findComment(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct{ Body string }
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if wanted.Body == "" || len([]rune(wanted.Body)) > maxComment {
		return failure(http.StatusUnprocessableEntity, "Validation Failed")
	}
	s.editComment(repo, pr, at, s.config.Login, wanted.Body)
	return reply{status: http.StatusOK, body: renderComment(repo, pr, pr.comments[at])}
}

func (s *Server) editComment(repo *repository, pr *pull, at int, by, body string) {
	comment := &pr.comments[at]
	if comment.Body == body {
		return
	}
	s.changed(repo, pr, CommentEdited, by, body)
	comment.Body, comment.UpdatedAt = body, pr.UpdatedAt
	s.tellComment(repo, pr, *comment, "edited", by)
}

func (s *Server) deleteComment(r *http.Request) reply {
	repo, pr, at := s.findComment(r)
	if pr == nil {
		return notFound()
	}
	s.removeComment(repo, pr, at, s.config.Login)
	return reply{status: http.StatusNoContent}
}

func (s *Server) removeComment(repo *repository, pr *pull, at int, by string) {
	comment := pr.comments[at]
	pr.comments = slices.Delete(pr.comments, at, at+1)
	s.changed(repo, pr, CommentDeleted, by, comment.Body)
	s.tellComment(repo, pr, comment, "deleted", by)
}

// findComment returns the place of the comment that a path names. A comment is
// named without its pull request.
func (s *Server) findComment(r *http.Request) (*repository, *pull, int) {
	repo, _ := s.find(r)
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if repo == nil || err != nil {
		return nil, nil, 0
	}
	for _, pr := range repo.pulls {
		if at := slices.IndexFunc(pr.comments, func(c Comment) bool { return c.ID == id }); at >= 0 {
			return repo, pr, at
		}
	}
	return nil, nil, 0
}

// id returns the next id.
func (s *Server) id() int64 {
	s.nextID++
	return s.nextID
}
