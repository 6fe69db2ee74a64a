// Package linear reads the webhooks of Linear, the issue tracker, of which it folds
// the comments of issues.
//
//	verify.go  the signature, and when the delivery says it was sent
//	seal.go    delivery → record: the key and the delivery's id
//	decode.go  record → event: a comment of an issue, or why it is none
//
// Sources: linear.app/developers/webhooks; the SDK's webhook client and
// schema.graphql (CommentWebhookPayload, EntityWebhookPayload).
//
// A comment's clock is data.updatedAt, in milliseconds. A removal keeps it and moves
// only the envelope's createdAt, so the text keeps its clock and the removal is
// final. updatedFrom.updatedAt is what the clock was before, which shows a delivery
// that never came.
package linear

import (
	"net/http"
	"time"

	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// Name is the provider's name.
const Name = "linear"

const eventComment = "comment"

// Provider reads the deliveries of Linear. The zero value is ready.
type Provider struct{}

// Name returns "linear".
func (Provider) Name() string { return Name }

// DefaultInstance returns "linear.app".
func (Provider) DefaultInstance() string { return "linear.app" }

// SuccessStatus returns 200. Linear takes every other status, also of the two
// hundreds, for a failure (linear.app/developers/webhooks).
func (Provider) SuccessStatus() int { return http.StatusOK }

// AnswerWithin returns four seconds: Linear waits five for the answer.
func (Provider) AnswerWithin() time.Duration { return 4 * time.Second }

// Events returns the types of data that Linear tells of, in our spelling (the SDK,
// packages/sdk/src/webhooks/types.ts, LinearWebhookEventType).
func (Provider) Events() []string {
	return []string{
		eventComment, "agent_session_event", "app_user_notification", "attachment", "audit_entry", "customer", "customer_need",
		"cycle", "document", "initiative", "initiative_update", "issue", "issue_label", "issue_sla", "oauth_app",
		"permission_change", "project", "project_label", "project_update", "reaction", "user",
	}
}

// Seal makes the record of a delivery.
func (Provider) Seal(in webhook.Delivery) (schemas.Record, error) { return seal(in) }

// Decode reads a record into an event.
func (Provider) Decode(record schemas.Record) (schemas.Event, error) { return decode(record) }
