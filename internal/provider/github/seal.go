package github

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Headers of a delivery.
const (
	headerEvent          = "X-GitHub-Event"
	headerDelivery       = "X-GitHub-Delivery"
	headerEnterpriseHost = "X-GitHub-Enterprise-Host"
)

// keptHeaders are the provider's own headers that go into the record. None of
// them is a secret or a signature.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var keptHeaders = [...]string{
	headerEvent,
	"X-GitHub-Hook-ID",
	"X-GitHub-Hook-Installation-Target-Type",
	"X-GitHub-Hook-Installation-Target-ID",
	headerEnterpriseHost,
}

// Bounds of what becomes a header of the record or part of its key.
const (
	maxEvent = 100
)

// seal makes the record of a delivery. The order of its checks is the order in
// which a person would mend them: the headers, then the body.
func seal(in webhook.Delivery) (schemas.Record, error) {
	event, id, err := identify(in.Header)
	if err != nil {
		return schemas.Record{}, err
	}
	instance := in.Instance
	if instance == "" {
		instance = Provider{}.DefaultInstance()
	}
	if err := checkHost(in.Header, instance, in.Source); err != nil {
		return schemas.Record{}, err
	}
	body, err := webhook.BodyOf(in)
	if err != nil {
		return schemas.Record{}, err
	}
	routed, err := readRouting(body)
	if err != nil {
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
		ProviderHeaders: webhook.Kept(in.Header, keptHeaders[:]),
		Body:            body,
	}, nil
}

func identify(header http.Header) (event, id string, err error) {
	event = strings.TrimSpace(header.Get(headerEvent))
	id = strings.TrimSpace(header.Get(headerDelivery))
	switch {
	case event == "":
		return "", "", fmt.Errorf("%w: %s is missing, GitHub sends it with each delivery", webhook.ErrHeader, headerEvent)
	case !isEvent(event):
		return "", "", fmt.Errorf("%w: %s is not the name of an event", webhook.ErrHeader, headerEvent)
	case id == "":
		return "", "", fmt.Errorf("%w: %s is missing, GitHub sends it with each delivery", webhook.ErrHeader, headerDelivery)
	case !webhook.IsPrintable(id) || len(id) > webhook.MaxDelivery:
		return "", "", fmt.Errorf("%w: %s is not a delivery id, want at most %d printable characters",
			webhook.ErrHeader, headerDelivery, webhook.MaxDelivery)
	}
	return event, id, nil
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

// checkHost refuses a delivery of another instance than the source's: its
// repository ids would collide with those of this one.
func checkHost(header http.Header, instance, source string) error {
	host := header.Get(headerEnterpriseHost)
	if host == "" || strings.EqualFold(host, instance) {
		return nil
	}
	return fmt.Errorf("%w: %s is %q, but source %s is configured for instance %q",
		webhook.ErrHeader, headerEnterpriseHost, host, source, instance)
}

// routing is the few fields that make a key. They are read from the body in one
// pass over it, which is also what tells whether it is JSON.
type routing struct {
	Action     string `json:"action"`
	Number     int64  `json:"number"`
	SHA        string `json:"sha"`
	Repository struct {
		ID       int64  `json:"id"`
		FullName string `json:"full_name"`
	} `json:"repository"`
	PullRequest struct {
		Number int64 `json:"number"`
	} `json:"pull_request"`
	Issue struct {
		Number      int64           `json:"number"`
		PullRequest payload.Present `json:"pull_request"`
	} `json:"issue"`
	CheckRun    headed `json:"check_run"`
	CheckSuite  headed `json:"check_suite"`
	WorkflowRun headed `json:"workflow_run"`
	MergeGroup  headed `json:"merge_group"`
}

type headed struct {
	HeadSHA string `json:"head_sha"`
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

// key returns the partition key and what people call the entity.
func (r *routing) key(instance, event string) (schemas.EntityKey, string) {
	if r.Repository.ID <= 0 {
		return schemas.InstanceKey(instance), ""
	}
	id, name := strconv.FormatInt(r.Repository.ID, 10), r.Repository.FullName
	if number := r.pullRequestNumber(event); number > 0 {
		return schemas.PullRequestKey(instance, id, number), subjectOf(name, "#"+strconv.FormatInt(number, 10))
	}
	if sha := r.commit(event); payload.IsSHA(sha) {
		return schemas.CommitKey(instance, id, sha), subjectOf(name, "@"+sha)
	}
	return schemas.RepositoryKey(instance, id), name
}

// pullRequestNumber returns the number people see, or 0.
func (r *routing) pullRequestNumber(event string) int64 {
	switch {
	case r.PullRequest.Number > 0:
		return r.PullRequest.Number
	case event == eventPullRequest:
		return r.Number
	case bool(r.Issue.PullRequest):
		return r.Issue.Number
	}
	return 0
}

// commit returns the head of the events whose entity is a commit.
func (r *routing) commit(event string) string {
	switch event {
	case "check_run":
		return r.CheckRun.HeadSHA
	case "check_suite":
		return r.CheckSuite.HeadSHA
	case "workflow_run":
		return r.WorkflowRun.HeadSHA
	case "merge_group":
		return r.MergeGroup.HeadSHA
	case "status":
		return r.SHA
	}
	return ""
}

func subjectOf(repository, rest string) string {
	if repository == "" {
		return ""
	}
	return repository + rest
}
