package fakegitea

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"pawl/internal/fakeforge"
)

// Comment is a comment under a pull request.
type Comment struct {
	ID     int64
	Author string
	Body   string
}

// Review is a review, a request for one, or a draft of one.
type Review struct {
	ID          int64
	Author      string
	Team        string // of a request to a team
	State       string // APPROVED, REQUEST_CHANGES, COMMENT, REQUEST_REVIEW, PENDING
	Body        string
	CommitID    string
	Dismissed   bool
	SubmittedAt time.Time
}

// Status is a status of a commit.
type Status struct {
	ID                                     int64
	Context, State, Description, TargetURL string
	CreatedAt                              time.Time
}

// listComments gives all of them, whatever page is asked for.
func (s *Server) listComments(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	rendered := make([]any, 0, len(pr.comments))
	for _, comment := range pr.comments {
		rendered = append(rendered, renderComment(comment))
	}
	return fakeforge.OK(rendered)
}

func renderComment(c Comment) any {
	return map[string]any{"id": c.ID, "body": c.Body, "user": user(c.Author)}
}

func (s *Server) postComment(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	var wanted struct{ Body string }
	if pr == nil || decode(r, &wanted) != nil {
		return notFound()
	}
	return fakeforge.Reply{Status: http.StatusCreated, Body: renderComment(s.comment(pr, s.config.Login, wanted.Body))}
}

func (s *Server) comment(pr *pull, by, body string) Comment {
	comment := Comment{ID: s.ID(), Author: by, Body: body}
	pr.comments = append(pr.comments, comment)
	s.record(CommentCreated, pr, by, body)
	return comment
}

func (s *Server) patchComment(r *http.Request) fakeforge.Reply {
	pr, at := s.findComment(r)
	var wanted struct{ Body string }
	if pr == nil || decode(r, &wanted) != nil {
		return notFound()
	}
	if pr.comments[at].Body != wanted.Body {
		pr.comments[at].Body = wanted.Body
		s.record(CommentEdited, pr, s.config.Login, wanted.Body)
	}
	return fakeforge.OK(renderComment(pr.comments[at]))
}

func (s *Server) deleteComment(r *http.Request) fakeforge.Reply {
	pr, at := s.findComment(r)
	if pr == nil {
		return notFound()
	}
	s.record(CommentDeleted, pr, s.config.Login, pr.comments[at].Body)
	pr.comments = slices.Delete(pr.comments, at, at+1)
	return fakeforge.Reply{Status: http.StatusNoContent}
}

func (s *Server) findComment(r *http.Request) (*pull, int) {
	for _, pr := range s.pulls {
		at := slices.IndexFunc(pr.comments, func(c Comment) bool { return strconv.FormatInt(c.ID, 10) == r.PathValue("id") })
		if at >= 0 {
			return pr, at
		}
	}
	return nil, 0
}

func (s *Server) listReviews(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	return paged(r, pr.reviews, renderReview)
}

func renderReview(review Review) any {
	rendered := map[string]any{
		"id": review.ID, "state": review.State, "body": review.Body, "commit_id": review.CommitID, "dismissed": review.Dismissed,
		"submitted_at": review.SubmittedAt, "user": user(review.Author), "team": nil,
	}
	if review.Team != "" {
		rendered["user"], rendered["team"] = nil, map[string]string{"name": review.Team}
	}
	return rendered
}

func (s *Server) postReview(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	var wanted struct {
		Event, Body string
		CommitID    string `json:"commit_id"`
	}
	switch {
	case pr == nil || decode(r, &wanted) != nil:
		return notFound()
	case pr.Author == s.config.Login:
		return fakeforge.Message(http.StatusUnprocessableEntity, "approve your own pull is not allowed")
	case pr.Closed:
		return fakeforge.Message(http.StatusUnprocessableEntity, "can't submit review for a closed PR")
	}
	return fakeforge.OK(renderReview(s.review(pr, s.config.Login, wanted.Event, wanted.Body, wanted.CommitID)))
}

func (s *Server) review(pr *pull, by, state, body, sha string) Review {
	review := Review{ID: s.ID(), Author: by, State: state, Body: body, CommitID: sha}
	review.SubmittedAt = s.record(Reviewed, pr, by, state)
	pr.reviews = append(pr.reviews, review)
	return review
}

func (s *Server) postDismissal(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	switch {
	case pr == nil:
		return notFound()
	case s.powerless:
		return fakeforge.Message(http.StatusForbidden, "Must be repo admin")
	}
	at := slices.IndexFunc(pr.reviews, func(v Review) bool { return strconv.FormatInt(v.ID, 10) == r.PathValue("id") })
	if at < 0 {
		return notFound()
	}
	if !pr.reviews[at].Dismissed {
		pr.reviews[at].Dismissed = true
		s.record(ReviewDismissed, pr, s.config.Login, pr.reviews[at].Author)
	}
	return fakeforge.OK(renderReview(pr.reviews[at]))
}

func (s *Server) postRequest(r *http.Request) fakeforge.Reply {
	pr := s.find(r)
	var wanted struct {
		Reviewers []string `json:"reviewers"`
		Teams     []string `json:"team_reviewers"`
	}
	if pr == nil || decode(r, &wanted) != nil {
		return notFound()
	}
	for _, login := range wanted.Reviewers {
		s.request(pr, Review{Author: login})
	}
	for _, team := range wanted.Teams {
		s.request(pr, Review{Team: team})
	}
	return fakeforge.Reply{Status: http.StatusCreated, Body: []any{}}
}

func (s *Server) request(pr *pull, of Review) {
	of.State = "REQUEST_REVIEW"
	if slices.ContainsFunc(pr.reviews, func(v Review) bool { return v.State == of.State && v.Author == of.Author && v.Team == of.Team }) {
		return
	}
	of.ID = s.ID()
	pr.reviews = append(pr.reviews, of)
	s.record(ReviewRequested, pr, s.config.Login, of.Author+of.Team)
}

func (s *Server) listStatuses(r *http.Request) fakeforge.Reply {
	found := s.commits[r.PathValue("sha")]
	if found == nil {
		return notFound()
	}
	newestFirst := slices.Clone(found.statuses)
	slices.Reverse(newestFirst)
	return paged(r, newestFirst, renderStatus)
}

func renderStatus(status Status) any {
	return map[string]any{
		"id": status.ID, "status": status.State, "context": status.Context, "description": status.Description,
		"target_url": status.TargetURL, "created_at": status.CreatedAt,
	}
}

func (s *Server) postStatus(r *http.Request) fakeforge.Reply {
	found := s.commits[r.PathValue("sha")]
	var wanted struct {
		State, Context, Description string
		TargetURL                   string `json:"target_url"`
	}
	if found == nil || decode(r, &wanted) != nil {
		return notFound()
	}
	status := Status{ID: s.ID(), Context: wanted.Context, State: wanted.State, Description: wanted.Description, TargetURL: wanted.TargetURL}
	status.CreatedAt = s.record(StatusCreated, found.pull, s.config.Login, wanted.Context+": "+wanted.State)
	found.statuses = append(found.statuses, status)
	return fakeforge.Reply{Status: http.StatusCreated, Body: renderStatus(status)}
}
