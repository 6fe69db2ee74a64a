package gitea

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// families begin the names of the headers. Gitea sends each header for itself
// and for Gogs, Forgejo for all three. Both send GitHub's names as well, which
// are not looked at: they would hide what is not from Gitea.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var families = [...]string{"X-Gitea", "X-Forgejo", "X-Gogs"}

// The ends of the headers' names.
const (
	suffixEvent    = "-Event"
	suffixType     = "-Event-Type"
	suffixDelivery = "-Delivery"
)

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	if err := webhook.CheckSender(in, Name); err != nil {
		return schemas.Record{}, err
	}
	event, id, err := identify(in.Header)
	if err != nil {
		return schemas.Record{}, err
	}
	instance := cmp.Or(in.Instance, Provider{}.DefaultInstance())
	body, err := webhook.BodyOf(in)
	if err != nil {
		return schemas.Record{}, err
	}
	var routed routing
	if err := payload.ReadRouting(body, &routed); err != nil {
		return schemas.Record{}, err
	}
	if body, err = withoutSecret(body); err != nil {
		return schemas.Record{}, err
	}
	key, subject := routed.key(instance, event)
	return schemas.Record{
		Key:             key,
		ID:              schemas.DeliveryID(id),
		Source:          in.Source,
		Provider:        Name,
		Event:           event,
		Action:          payload.Clean(routed.Action),
		Subject:         payload.Clean(subject),
		ReceivedAt:      in.ReceivedAt,
		ContentType:     schemas.ContentTypeJSON,
		TraceParent:     in.TraceParent,
		ProviderHeaders: keptHeaders(in.Header),
		Body:            body,
	}, nil
}

// identify returns the name of the event and the delivery's id. The type is the
// finer name of the two that Gitea sends: pull_request_label, not pull_request.
func identify(header http.Header) (event, id string, err error) {
	event, id = first(header, suffixType), first(header, suffixDelivery)
	if event == "" {
		event = first(header, suffixEvent)
	}
	switch {
	case event == "":
		return "", "", fmt.Errorf("%w: X-Gitea-Event is missing, Gitea sends it with each delivery", webhook.ErrHeader)
	case !webhook.IsEvent(event):
		return "", "", fmt.Errorf("%w: X-Gitea-Event is not the name of an event", webhook.ErrHeader)
	case id == "":
		return "", "", fmt.Errorf("%w: X-Gitea-Delivery is missing, Gitea sends it with each delivery", webhook.ErrHeader)
	case !webhook.IsPrintable(id) || len(id) > webhook.MaxDelivery:
		return "", "", fmt.Errorf("%w: X-Gitea-Delivery is not a delivery id, want at most %d printable characters",
			webhook.ErrHeader, webhook.MaxDelivery)
	}
	return event, id, nil
}

// first returns the first header of that suffix that is not empty.
func first(header http.Header, suffix string) string {
	for _, family := range families {
		if value := strings.TrimSpace(header.Get(family + suffix)); value != "" {
			return value
		}
	}
	return ""
}

// keptHeaders are the names of the event in the record. The copies are left out.
func keptHeaders(header http.Header) []schemas.Header {
	for _, family := range families {
		if kept := webhook.Kept(header, []string{family + suffixEvent, family + suffixType}); len(kept) > 0 {
			return kept
		}
	}
	return nil // unreachable unless identify takes a delivery without an event
}

// routing is the few fields that make a key. They are read from the body in one
// pass over it, which is also what tells whether it is JSON.
type routing struct {
	Action      string          `json:"action"`
	Number      int64           `json:"number"`
	SHA         string          `json:"sha"`
	Repository  repository      `json:"repository"`
	PullRequest numbered        `json:"pull_request"`
	Issue       issue           `json:"issue"`
	IsPull      bool            `json:"is_pull"`
	Comment     payload.Present `json:"comment"`
	WorkflowRun struct {
		HeadSHA string `json:"head_sha"`
	} `json:"workflow_run"`
}

// key returns the partition key and what people call the entity. The repository
// is the base of a pull request, also where its head is in a fork.
func (r *routing) key(instance, event string) (schemas.EntityKey, string) {
	if r.Repository.ID <= 0 {
		return schemas.InstanceKey(instance), ""
	}
	id, name := itoa(r.Repository.ID), r.Repository.FullName
	if number := r.pullRequestNumber(event); number > 0 {
		return schemas.PullRequestKey(instance, id, number), payload.Subject(name, "#"+itoa(number))
	}
	if sha := r.commit(event); payload.IsSHA(sha) {
		return schemas.CommitKey(instance, id, sha), payload.Subject(name, "@"+sha)
	}
	return schemas.RepositoryKey(instance, id), name
}

// pullRequestNumber returns the number people see, or 0.
func (r *routing) pullRequestNumber(event string) int64 {
	switch {
	case isComment(event, r.Comment):
		return place{r.Issue, r.IsPull, r.PullRequest}.number()
	case !isPullRequest(event):
		return 0
	case r.PullRequest.Number > 0:
		return r.PullRequest.Number
	}
	return r.Number
}

// commit returns the head of the events whose entity is a commit.
func (r *routing) commit(event string) string {
	switch event {
	case eventStatus:
		return r.SHA
	case eventWorkflowRun:
		return r.WorkflowRun.HeadSHA
	}
	return ""
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
