// Package gitlab reads the webhooks of GitLab: of projects and groups, and the
// system hooks of a self-managed instance.
//
//	verify.go  X-Gitlab-Token, or a signing token's webhook-signature
//	seal.go    delivery → record: its id, its event, what it must not carry
//	key.go     the fields that make the key; Seal and Decode both go by them
//	decode*.go record → event: the fields, absent told from empty
//
// GitLab's payloads differ from GitHub's in ways that this package hides:
//
//   - A merge request is named by its project and its iid. Its id is global, and
//     so is the id by which a note names it.
//   - An update says what it changed in changes, not in its action. The words of
//     schemas.PullRequestSnapshot.Change are made from it (change.go).
//   - An approval is an action of the merge request, and has no id and no time:
//     a person has one state, and the snapshot's time is when it was given.
//   - A pipeline that is retried keeps its id and runs again (decode_pipeline.go).
//
// The facts are those of docs.gitlab.com ("Webhook events", "Webhooks", "System
// hooks") and of GitLab's source: WebHookService, HookData, DataBuilder.
package gitlab

import (
	"net/http"
	"slices"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "gitlab"

// Provider reads the deliveries of GitLab. The zero value is ready.
type Provider struct{}

// Name returns "gitlab".
func (Provider) Name() string { return Name }

// DefaultInstance returns "gitlab.com".
func (Provider) DefaultInstance() string { return "gitlab.com" }

// SuccessStatus returns 200. GitLab disables a webhook that answers with errors,
// so what is not folded is answered with it too.
func (Provider) SuccessStatus() int { return http.StatusOK }

// Events returns the events of GitLab's documentation: the object_kind of
// webhooks, and the event_name of system hooks.
func (Provider) Events() []string { return slices.Clone(events[:]) }

//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var events = [...]string{
	"access_token", "build", "deployment", "emoji", "feature_flag", "issue", "merge_request",
	"milestone", "note", "pipeline", "push", "release", "tag_push", "vulnerability", "wiki_page",
	"work_item",
	"group_create", "group_destroy", "group_rename", "key_create", "key_destroy", "project_create",
	"project_destroy", "project_rename", "project_transfer", "project_update", "repository_update",
	"subgroup_create", "subgroup_destroy", "system_hook", "user_access_request_denied_for_group",
	"user_access_request_denied_for_project", "user_access_request_to_group",
	"user_access_request_to_project", "user_add_to_group", "user_add_to_team", "user_create",
	"user_destroy", "user_failed_login", "user_remove_from_group", "user_remove_from_team",
	"user_rename", "user_update_for_group", "user_update_for_team",
}

// Seal makes the record of a delivery.
func (Provider) Seal(in webhook.Delivery) (schemas.Record, error) { return seal(in) }

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return decode(record) }
