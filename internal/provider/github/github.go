// Package github reads the webhooks of GitHub and GitHub Enterprise Server.
//
// The payloads are read into small structs of our own, and only as far as they
// are needed: go-github's types refuse real payloads for one odd time in a part
// nobody asked for, and cannot tell an absent field from a zero one.
//
//	verify.go   X-Hub-Signature-256 over the raw bytes
//	seal.go     delivery → record: the headers, and nothing that can fail on a body
//	routing.go  the few fields of a body that make the record's key
//	decode.go   record → event: the fields, absent told from empty
//
// Sealing is tolerant and decoding is not. A field of a wrong type leaves the
// record under a wider key, and makes it a dead letter later, with the name of
// the field; but it never makes the edge refuse a delivery that GitHub will not
// send again.
package github

import (
	"net/http"
	"slices"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "github"

// The events that are folded, and those that are ignored for a reason of their
// own.
const (
	eventPullRequest   = "pull_request"
	eventIssueComment  = "issue_comment"
	eventReview        = "pull_request_review"
	eventReviewComment = "pull_request_review_comment"
	eventReviewThread  = "pull_request_review_thread"
	eventCheckRun      = "check_run"
	eventCheckSuite    = "check_suite"
	eventStatus        = "status"
	eventWorkflowRun   = "workflow_run"
	eventMergeGroup    = "merge_group"
	eventRepository    = "repository"

	eventPing                     = "ping"
	eventPush                     = "push"
	eventInstallation             = "installation"
	eventInstallationRepositories = "installation_repositories"
)

// Provider reads the deliveries of GitHub. The zero value is ready.
type Provider struct{}

// Name returns "github".
func (Provider) Name() string { return Name }

// DefaultInstance returns "github.com".
func (Provider) DefaultInstance() string { return "github.com" }

// SuccessStatus returns 202: the delivery is in the log, and not yet folded.
func (Provider) SuccessStatus() int { return http.StatusAccepted }

// Events returns the events of GitHub's documentation ("Webhook events and
// payloads").
func (Provider) Events() []string { return slices.Clone(events[:]) }

//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var events = [...]string{
	"branch_protection_configuration", "branch_protection_rule", "check_run", "check_suite",
	"code_scanning_alert", "commit_comment", "create", "custom_property", "custom_property_values",
	"delete", "dependabot_alert", "deploy_key", "deployment", "deployment_protection_rule",
	"deployment_review", "deployment_status", "discussion", "discussion_comment", "fork",
	"github_app_authorization", "gollum", "installation", "installation_repositories",
	"installation_target", "issue_comment", "issue_dependencies", "issues", "label",
	"marketplace_purchase", "member", "membership", "merge_group", "meta", "milestone", "org_block",
	"organization", "package", "page_build", "personal_access_token_request", "ping", "project",
	"project_card", "project_column", "projects_v2", "projects_v2_item", "projects_v2_status_update",
	"public", "pull_request", "pull_request_review", "pull_request_review_comment",
	"pull_request_review_thread", "push", "registry_package", "release", "repository",
	"repository_advisory", "repository_dispatch", "repository_import", "repository_ruleset",
	"repository_vulnerability_alert", "secret_scanning_alert", "secret_scanning_alert_location",
	"secret_scanning_scan", "security_advisory", "security_and_analysis", "sponsorship", "star",
	"status", "sub_issues", "team", "team_add", "watch", "workflow_dispatch", "workflow_job",
	"workflow_run",
}

// Seal makes the record of a delivery.
func (Provider) Seal(in webhook.Delivery) (schemas.Record, error) { return seal(in) }

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return decode(record) }
