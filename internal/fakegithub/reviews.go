package fakegithub

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Review is a review of a pull request.
type Review struct {
	ID       int64
	Author   string
	State    string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED
	CommitID string
	Body     string
	// SubmittedAt stays when the review is dismissed.
	SubmittedAt time.Time
}

// invalid is a 422 whose reason stands among the errors, as GitHub gives it.
func invalid(reason string) reply {
	answer := failure(http.StatusUnprocessableEntity, "Validation Failed")
	answer.body = object{
		"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest", "status": "422",
		"errors": []object{{"resource": "PullRequest", "code": "custom", "message": reason}},
	}
	return answer
}

// unprocessable is a 422 whose reasons are bare strings, as those of reviews.
func unprocessable(reason string) reply {
	answer := failure(http.StatusUnprocessableEntity, "Unprocessable Entity")
	answer.body = object{"message": "Unprocessable Entity", "errors": []string{reason}, "status": "422"}
	return answer
}

func (s *Server) getRequestedReviewers(r *http.Request) reply {
	_, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	return reply{status: http.StatusOK, body: object{"users": renderUsers(pr.people), "teams": renderTeams(pr.teams)}}
}

// postRequestedReviewers asks people and teams; who is asked already is no
// change. The author among them refuses the whole call.
func (s *Server) postRequestedReviewers(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct {
		Reviewers     []string
		TeamReviewers []string `json:"team_reviewers"`
	}
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if indexLabel(wanted.Reviewers, pr.Author) >= 0 {
		return failure(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
	}
	s.request(repo, pr, s.config.Login, &pr.people, wanted.Reviewers)
	s.request(repo, pr, s.config.Login, &pr.teams, wanted.TeamReviewers)
	return reply{status: http.StatusCreated, body: renderPull(repo, pr)}
}

func (s *Server) request(repo *repository, pr *pull, by string, asked *[]string, wanted []string) {
	for _, name := range wanted {
		if indexLabel(*asked, name) >= 0 {
			continue
		}
		*asked = append(*asked, name)
		s.changed(repo, pr, ReviewRequested, by, name)
		s.tellPull(repo, pr, "review_requested", by, "")
	}
}

func (s *Server) listReviews(r *http.Request) reply {
	_, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	reviews, header := page(r, pr.reviews)
	body := make([]object, 0, len(reviews))
	for _, review := range reviews {
		body = append(body, renderReview(review))
	}
	return reply{status: http.StatusOK, header: header, body: body}
}

// postReview takes any commit that was a head of the pull request, as GitHub
// does: that it is the newest one, it does not ask.
func (s *Server) postReview(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct {
		CommitID string `json:"commit_id"`
		Body     string
		Event    string
	}
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	state := map[string]string{"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}[wanted.Event]
	switch {
	case state == "":
		return unprocessable("Event is not included in the list")
	case wanted.CommitID != "" && repo.commits[wanted.CommitID] == nil:
		return unprocessable("commit_id is not part of the pull request")
	case wanted.Event == "APPROVE" && strings.EqualFold(pr.Author, s.config.Login):
		return unprocessable("Can not approve your own pull request")
	case wanted.Event == "REQUEST_CHANGES" && strings.EqualFold(pr.Author, s.config.Login):
		return unprocessable("Can not request changes on your own pull request")
	}
	if wanted.CommitID == "" {
		wanted.CommitID = pr.HeadSHA
	}
	review := s.review(repo, pr, Review{Author: s.config.Login, State: state, CommitID: wanted.CommitID, Body: wanted.Body})
	return reply{status: http.StatusOK, body: renderReview(review)}
}

// review adds a review; who gave it is not asked any more.
func (s *Server) review(repo *repository, pr *pull, review Review) Review {
	review.ID = s.id()
	pr.people = slices.DeleteFunc(pr.people, func(login string) bool { return strings.EqualFold(login, review.Author) })
	s.changed(repo, pr, Reviewed, review.Author, review.State+" "+review.CommitID)
	review.SubmittedAt = pr.UpdatedAt
	pr.reviews = append(pr.reviews, review)
	s.tellReview(repo, pr, review, "submitted", review.Author)
	return review
}

func (s *Server) putDismissal(r *http.Request) reply {
	repo, pr := s.find(r)
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if pr == nil || err != nil {
		return notFound()
	}
	at := slices.IndexFunc(pr.reviews, func(review Review) bool { return review.ID == id })
	if at < 0 {
		return notFound()
	}
	var wanted struct{ Message string }
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	review := &pr.reviews[at]
	switch {
	case wanted.Message == "":
		return invalid("message is missing")
	case review.State == "DISMISSED" || review.State == "COMMENTED":
		return unprocessable("Can not dismiss a " + strings.ToLower(review.State) + " pull request review")
	}
	review.State = "DISMISSED"
	s.changed(repo, pr, ReviewDismissed, s.config.Login, review.Author)
	s.tellReview(repo, pr, *review, "dismissed", s.config.Login)
	return reply{status: http.StatusOK, body: renderReview(*review)}
}

// Review has somebody review the head as it is now, and returns the id.
func (s *Server) Review(repo string, number int, by, state string) int64 {
	var id int64
	s.person(repo, number, func(found *repository, pr *pull) {
		id = s.review(found, pr, Review{Author: by, State: state, CommitID: pr.HeadSHA}).ID
	})
	return id
}

// Request has somebody ask people for a review.
func (s *Server) Request(repo string, number int, by string, people ...string) {
	s.person(repo, number, func(found *repository, pr *pull) { s.request(found, pr, by, &pr.people, people) })
}

// Reviews returns the reviews, oldest first.
func (s *Server) Reviews(repo string, number int) []Review {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, pr := s.mustFind(repo, number)
	return slices.Clone(pr.reviews)
}

// RequestedReviewers returns who is asked for a review.
func (s *Server) RequestedReviewers(repo string, number int) (people, teams []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, pr := s.mustFind(repo, number)
	return slices.Clone(pr.people), slices.Clone(pr.teams)
}

func renderUsers(logins []string) []object {
	rendered := make([]object, 0, len(logins))
	for _, login := range logins {
		rendered = append(rendered, renderUser(login))
	}
	return rendered
}

func renderTeams(slugs []string) []object {
	rendered := make([]object, 0, len(slugs))
	for _, slug := range slugs {
		rendered = append(rendered, object{"id": idOf(slug), "slug": slug, "name": slug})
	}
	return rendered
}

func renderReview(review Review) object {
	return object{
		"id": review.ID, "user": renderUser(review.Author), "state": review.State,
		"commit_id": review.CommitID, "body": review.Body, "submitted_at": moment(review.SubmittedAt),
	}
}
