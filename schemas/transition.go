package schemas

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// Kind is what kind of change of state a transition is.
type Kind string

// The kinds of transitions of a pull request, in the order in which one record
// yields them.
const (
	KindOpened           Kind = "opened"
	KindClosed           Kind = "closed"
	KindMerged           Kind = "merged"
	KindReopened         Kind = "reopened"
	KindReadyForReview   Kind = "ready_for_review"
	KindConvertedToDraft Kind = "converted_to_draft"
	KindHeadChanged      Kind = "head_changed"
	KindBaseChanged      Kind = "base_changed"
	KindTitleChanged     Kind = "title_changed"
	KindLabelsChanged    Kind = "labels_changed"
	KindChecksChanged    Kind = "checks_changed"
	KindReviewsChanged   Kind = "reviews_changed"
	KindLinksChanged     Kind = "links_changed"
)

// The kinds of transitions of a comment.
const (
	KindCommentCreated Kind = "comment_created"
	KindCommentEdited  Kind = "comment_edited"
	KindCommentRemoved Kind = "comment_removed"
)

// The kinds of transitions of a status page.
const (
	KindComponentChanged Kind = "component_changed"
	KindIncidentOpened   Kind = "incident_opened"
	KindIncidentChanged  Kind = "incident_changed"
	KindIncidentResolved Kind = "incident_resolved"
)

// Kinds returns all kinds, pull requests first, in their fixed order.
func Kinds() []Kind {
	return []Kind{
		KindOpened, KindClosed, KindMerged, KindReopened, KindReadyForReview, KindConvertedToDraft,
		KindHeadChanged, KindBaseChanged, KindTitleChanged, KindLabelsChanged, KindChecksChanged,
		KindReviewsChanged, KindLinksChanged, KindComponentChanged, KindIncidentOpened, KindIncidentChanged,
		KindIncidentResolved, KindCommentCreated, KindCommentEdited, KindCommentRemoved,
	}
}

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool { return slices.Contains(Kinds(), k) }

// TransitionID identifies a transition: 32 hexadecimal digits, derived from its
// meaning, so that a second folding yields the same id (I8).
type TransitionID string

// HasLists reports whether the sides of a transition of this kind are lists.
func (k Kind) HasLists() bool {
	return k == KindLabelsChanged || k == KindReviewsChanged || k == KindLinksChanged
}

// Value is one side of a transition: a text, or a list of texts (labels).
// In JSON it is a string, an array of strings, or null where it is unknown.
type Value struct {
	Text string
	List []string
}

// MarshalJSON writes the list, the text, or null.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.List != nil:
		return json.Marshal(v.List)
	case v.Text != "":
		return json.Marshal(v.Text)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Value) UnmarshalJSON(data []byte) error {
	*v = Value{}
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &v.List)
	}
	return json.Unmarshal(data, &v.Text)
}

// Cause is the delivery that a transition follows from.
type Cause struct {
	Source     string     `json:"source"`
	DeliveryID DeliveryID `json:"delivery_id"`
	Provider   string     `json:"provider"`
	Event      string     `json:"event"`
	Action     string     `json:"action,omitempty"`
	Sender     Actor      `json:"sender"`
	ReceivedAt time.Time  `json:"received_at,omitzero"`
	// TraceParent continues the delivery's trace (W3C Trace Context).
	TraceParent string `json:"traceparent,omitempty"`
}

// Transition is a difference between two folded states (I8). It carries the
// state right after it, so a decision is a function of this record and the
// rules alone. It is the value of pawl.transitions, in JSON,
// transition.v1.schema.json.
type Transition struct {
	ID     TransitionID `json:"id"`
	Entity EntityKey    `json:"entity"`
	Kind   Kind         `json:"kind"`
	From   Value        `json:"from"`
	To     Value        `json:"to"`
	Cause  Cause        `json:"cause"`

	// PullRequest is the pull request right after the transition: the entity
	// itself, or the one that the comment stands under.
	PullRequest *PullRequest `json:"pull_request,omitempty"`
	// Comment is set on transitions of a comment.
	Comment *Comment `json:"comment,omitempty"`
	// Component is set on transitions of a component of a status page, Incident on
	// those of an incident.
	Component *StatusComponent `json:"component,omitempty"`
	Incident  *StatusIncident  `json:"incident,omitempty"`

	// Statuses are those of the components that the rules read, as they were when
	// it was decided on. Who decides adds them: in the log there are none.
	Statuses map[EntityKey]ComponentStatus `json:"statuses,omitempty"`
}

// NewTransition returns a transition with its id derived (I8).
func NewTransition(entity EntityKey, kind Kind, from, to Value, cause Cause) Transition {
	t := Transition{Entity: entity, Kind: kind, From: from, To: to, Cause: cause}
	t.ID = t.deriveID()
	return t
}

// deriveID hashes entity, kind, from, to and cause (source, delivery id).
func (t Transition) deriveID() TransitionID {
	hash := sha256.New()
	part := func(texts ...string) {
		for _, text := range texts {
			hash.Write([]byte(text))
			hash.Write([]byte{0})
		}
		hash.Write([]byte{1})
	}
	part(string(t.Entity))
	part(string(t.Kind))
	part(append([]string{t.From.Text}, t.From.List...)...)
	part(append([]string{t.To.Text}, t.To.List...)...)
	part(t.Cause.Source, string(t.Cause.DeliveryID))
	return TransitionID(hex.EncodeToString(hash.Sum(nil)[:16]))
}

// PartitionKey is the key under which the transition is published. A comment of
// a pull request travels under the pull request, so that one actor sees both in
// one order (I2); all else under its own key.
func (t Transition) PartitionKey() EntityKey {
	if t.Comment != nil && t.Comment.Kind != CommentIssue && t.Comment.Parent != "" {
		return t.Comment.Parent
	}
	return t.Entity
}
