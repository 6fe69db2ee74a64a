package fakegithub

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Webhook is one delivery as GitHub would make it, without the signature.
type Webhook struct {
	Event  string // X-GitHub-Event
	Action string
	ID     string // X-GitHub-Delivery
	Body   []byte
}

// tellPull arranges for a pull_request delivery.
func (s *Server) tellPull(repo *repository, pr *pull, action, by, label string) {
	body := object{
		"action": action, "number": pr.Number, "pull_request": renderPull(repo, pr),
		"repository": renderRepository(repo), "sender": renderUser(by),
	}
	if label != "" {
		body["label"] = renderLabels([]string{label})[0]
	}
	s.tell("pull_request", action, body)
}

// tellComment arranges for an issue_comment delivery: a pull request is an
// issue there, and the payload carries no head.
func (s *Server) tellComment(repo *repository, pr *pull, comment Comment, action, by string) {
	shown := renderPull(repo, pr)
	issue := object{"pull_request": object{"html_url": shown["html_url"], "merged_at": shown["merged_at"]}}
	for _, field := range []string{"id", "number", "title", "state", "locked", "user", "labels", "comments", "created_at", "updated_at", "closed_at", "body"} {
		issue[field] = shown[field]
	}
	s.tell("issue_comment", action, object{
		"action": action, "issue": issue, "comment": renderComment(repo, pr, comment),
		"repository": renderRepository(repo), "sender": renderUser(by),
	})
}

// tellReview arranges for a pull_request_review delivery: its state is in lower
// case, and its pull request says nothing of having been merged.
func (s *Server) tellReview(repo *repository, pr *pull, review Review, action, by string) {
	shown := renderPull(repo, pr)
	delete(shown, "merged")
	told := renderReview(review)
	told["state"] = strings.ToLower(review.State)
	s.tell("pull_request_review", action, object{
		"action": action, "review": told, "pull_request": shown, "repository": renderRepository(repo), "sender": renderUser(by),
	})
}

func (s *Server) tell(event, action string, body object) {
	if s.config.Webhook == nil {
		return
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // unreachable unless a rendered value is no JSON
	}
	s.nextDelivery++
	s.webhooks = append(s.webhooks, Webhook{
		Event: event, Action: action, Body: raw,
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", s.nextDelivery),
	})
}
