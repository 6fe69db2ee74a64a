package gitea

import (
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

// strangers are the headers by which the deliveries of others are known.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var strangers = [...]struct{ header, name string }{
	{"X-GitHub-Event", "GitHub"},
	{"X-Gitlab-Event", "GitLab"},
	{"X-Event-Key", "Bitbucket"},
}

const maxEvent = 100

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	event, id, err := identify(in)
	if err != nil {
		return schemas.Record{}, err
	}
	instance := in.Instance
	if instance == "" {
		instance = Provider{}.DefaultInstance()
	}
	body, err := webhook.BodyOf(in)
	if err != nil {
		return schemas.Record{}, err
	}
	routed, err := readRouting(body)
	if err != nil {
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
func identify(in webhook.Delivery) (event, id string, err error) {
	event, id = first(in.Header, suffixType), first(in.Header, suffixDelivery)
	if event == "" {
		event = first(in.Header, suffixEvent)
	}
	switch {
	case event == "" && id == "":
		return "", "", strange(in)
	case event == "":
		return "", "", fmt.Errorf("%w: X-Gitea-Event is missing, Gitea sends it with each delivery", webhook.ErrHeader)
	case !isEvent(event):
		return "", "", fmt.Errorf("%w: X-Gitea-Event is not the name of an event", webhook.ErrHeader)
	case id == "":
		return "", "", fmt.Errorf("%w: X-Gitea-Delivery is missing, Gitea sends it with each delivery", webhook.ErrHeader)
	case !webhook.IsPrintable(id) || len(id) > webhook.MaxDelivery:
		return "", "", fmt.Errorf("%w: X-Gitea-Delivery is not a delivery id, want at most %d printable characters",
			webhook.ErrHeader, webhook.MaxDelivery)
	}
	return event, id, nil
}

// strange says of whom a delivery is that has none of Gitea's headers.
func strange(in webhook.Delivery) error {
	for _, other := range strangers {
		if in.Header.Get(other.header) != "" {
			return fmt.Errorf("%w: the delivery is of %s (%s), and source %s is for Gitea",
				webhook.ErrHeader, other.name, other.header, in.Source)
		}
	}
	return fmt.Errorf("%w: X-Gitea-Event is missing, Gitea sends it with each delivery", webhook.ErrHeader)
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

func isEvent(text string) bool {
	if len(text) > maxEvent {
		return false
	}
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
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

// readRouting reads the fields, as far as they are of the right type. Only text
// that is not JSON is an error.
func readRouting(body []byte) (routing, error) {
	var fields routing
	err := payload.Unmarshal(body, &fields)
	if err == nil || payload.IsTypeError(err) {
		return fields, nil
	}
	return routing{}, fmt.Errorf("%w: it is not JSON: %w", webhook.ErrBody, err)
}

// key returns the partition key and what people call the entity. The repository
// is the base of a pull request, also where its head is in a fork.
func (r *routing) key(instance, event string) (schemas.EntityKey, string) {
	if r.Repository.ID <= 0 {
		return schemas.InstanceKey(instance), ""
	}
	id, name := itoa(r.Repository.ID), r.Repository.FullName
	if number := r.pullRequestNumber(event); number > 0 {
		return schemas.PullRequestKey(instance, id, number), subjectOf(name, "#"+itoa(number))
	}
	if sha := r.commit(event); payload.IsSHA(sha) {
		return schemas.CommitKey(instance, id, sha), subjectOf(name, "@"+sha)
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

func subjectOf(repository, rest string) string {
	if repository == "" {
		return ""
	}
	return repository + rest
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
