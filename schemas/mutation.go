package schemas

import (
	"encoding/json"
	"time"
)

// MutationKind is a kind of change at a provider.
type MutationKind string

// The kinds of mutations.
const (
	MutateComment       MutationKind = "comment"
	MutateDeleteComment MutationKind = "delete_comment"
	MutateClose         MutationKind = "close"
	MutateReopen        MutationKind = "reopen"
	MutateMerge         MutationKind = "merge"
	MutateUpdateBranch  MutationKind = "update_branch"
	MutateAddLabels     MutationKind = "add_labels"
	MutateRemoveLabels  MutationKind = "remove_labels"
	MutateRequestReview MutationKind = "request_review"
	MutateApprove       MutationKind = "approve"
	MutateDismissReview MutationKind = "dismiss_review"
	MutateCheckRun      MutationKind = "check_run"
	MutateCommitStatus  MutationKind = "commit_status"
	MutateNotify        MutationKind = "notify"
	MutateBridgeComment MutationKind = "bridge_comment"
)

// MutationKinds returns all kinds.
func MutationKinds() []MutationKind {
	return []MutationKind{
		MutateComment, MutateDeleteComment, MutateClose, MutateReopen, MutateMerge, MutateUpdateBranch,
		MutateAddLabels, MutateRemoveLabels, MutateRequestReview, MutateApprove, MutateDismissReview,
		MutateCheckRun, MutateCommitStatus, MutateNotify, MutateBridgeComment,
	}
}

// MutationState is where a mutation stands.
//
//	            ┌────────────── retry at a time ─────────────┐
//	            ▼                                            │
//	planned   pending ──claim──▶ claimed ──settle──▶ done    │
//	(mode plan)  ▲                  ├──────────────▶ skipped │ key given back
//	             │                  ├──────────────▶ dead    │
//	             │                  └────────────────────────┘
//	             └── another look: an effect showed up late, and may be there twice
//
// Planned mutations are cancelled when mode act opens their key.
type MutationState string

// The states of a mutation.
const (
	MutationPlanned   MutationState = "planned"   // mode plan: decided, nobody is called
	MutationWaiting   MutationState = "waiting"   // its rule waits before it decides again
	MutationPending   MutationState = "pending"   // to be claimed, at once or at a time
	MutationClaimed   MutationState = "claimed"   // an actor holds it under a fence
	MutationDone      MutationState = "done"      // the provider shows the effect
	MutationSkipped   MutationState = "skipped"   // condition or precondition gone; key given back
	MutationCancelled MutationState = "cancelled" // contrary state before its time; key given back
	MutationDead      MutationState = "dead"      // cannot succeed; a dead letter with the reason
)

// IdempotencyKey names an effect that must happen once: 32 hexadecimal digits.
// It is unique in the database among mutations that hold it, and is left on the
// provider where the provider allows it (I10).
type IdempotencyKey string

// Mutation is a change that a rule wants made at a provider: the row of
// pawl.mutation. In JSON it is mutation.v1.schema.json.
type Mutation struct {
	ID             int64           `json:"id"`
	Entity         EntityKey       `json:"entity"`
	Rule           string          `json:"rule"`
	Kind           MutationKind    `json:"kind"`
	Params         json.RawMessage `json:"params"`
	IdempotencyKey IdempotencyKey  `json:"idempotency_key"`
	State          MutationState   `json:"state"`
	// Reason says why it is where it is: what was gone, what failed.
	Reason       string       `json:"reason,omitempty"`
	TransitionID TransitionID `json:"transition_id"`
	Attempt      int          `json:"attempt"`
	CreatedAt    time.Time    `json:"created_at,omitzero"`
	SettledAt    time.Time    `json:"settled_at,omitzero"`
}
