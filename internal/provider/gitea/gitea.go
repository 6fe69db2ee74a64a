// Package gitea reads the webhooks of Gitea and Forgejo, and of Gogs as far as
// its payloads are the same.
//
//	verify.go  X-Gitea-Signature and its copies, over the JSON
//	seal.go    delivery → record: the key, and nothing that can fail on a body
//	secret.go  what old versions put into the body and the log must not have
//	decode.go  record → event: the fields, absent told from empty
//
// What is said here of Gitea and Forgejo is from their source: services/webhook
// (what is sent, and how it is signed), services/convert (the objects in it) and
// modules/structs (the names of the fields).
//
// Repository ids begin with 1 on each installation, and no header names the
// installation. So each source must be configured with its instance: with the
// default, two installations would share their keys.
package gitea

import (
	"net/http"
	"slices"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "gitea"

// The events that are folded. All that begin with eventPullRequest are of a
// pull request.
const (
	eventPullRequest  = "pull_request"
	eventIssueComment = "issue_comment"
	eventStatus       = "status"
	eventWorkflowRun  = "workflow_run"
	eventRepository   = "repository"
)

// Provider reads the deliveries of Gitea and Forgejo. The zero value is ready.
type Provider struct{}

// Name returns "gitea".
func (Provider) Name() string { return Name }

// DefaultInstance returns "gitea.com". Every other installation is configured.
func (Provider) DefaultInstance() string { return "gitea.com" }

// SuccessStatus returns 200. Gitea takes each 2xx for a success.
func (Provider) SuccessStatus() int { return http.StatusOK }

// Events returns the event types of Gitea and Forgejo (modules/webhook), and the
// coarser names of versions without types.
func (Provider) Events() []string { return slices.Clone(events[:]) }

//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var events = [...]string{
	"action_run_failure", "action_run_recover", "action_run_success", "create", "delete", "fork", "issue_assign",
	"issue_comment", "issue_label", "issue_milestone", "issues", "package", "pull_request", "pull_request_approved",
	"pull_request_assign", "pull_request_comment", "pull_request_label", "pull_request_milestone",
	"pull_request_rejected", "pull_request_review_approved", "pull_request_review_comment",
	"pull_request_review_rejected", "pull_request_review_request", "pull_request_sync", "push", "release",
	"repository", "status", "wiki", "workflow_job", "workflow_run",
}

// Seal makes the record of a delivery.
func (Provider) Seal(in webhook.Delivery) (schemas.Record, error) { return seal(in) }

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return decode(record) }
