package simulate

import (
	"encoding/json"
	"time"

	"pawl/internal/plan"
	"pawl/schemas"
)

// Sign is how a mutation of the new rules compares.
type Sign string

// The signs.
const (
	Same    Sign = "=" // done on both sides
	Changed Sign = "~" // done on both sides, with other parameters
	OnlyNew Sign = "+" // the new rules alone would do it
	OnlyOld Sign = "-" // it was done, or the old rules would do it, and the new ones would not
)

// Report is a whole comparison.
type Report struct {
	// Since is as asked for; zero is everything that is recorded. Until is the
	// newest transition.
	Since       time.Time `json:"since,omitzero"`
	Until       time.Time `json:"until,omitzero"`
	Transitions int       `json:"transitions"`
	// Decisions counts those of the new rules by their outcome.
	Decisions map[string]int `json:"decisions"`
	Totals    Totals         `json:"totals"`
	// Mutations are told in the order of the receipt of what they follow from.
	Mutations []Line `json:"mutations"`
	// Errors are decisions of the new rules that end in an error, the first of
	// them; MoreErrors counts the others.
	Errors     []plan.Decision `json:"errors"`
	MoreErrors int             `json:"more_errors,omitempty"`
}

// Totals counts mutations by their sign.
type Totals struct {
	Same    int `json:"same"`
	Changed int `json:"changed"`
	OnlyNew int `json:"only_new"`
	OnlyOld int `json:"only_old"`
}

func (t *Totals) count(sign Sign) {
	switch sign {
	case Same:
		t.Same++
	case Changed:
		t.Changed++
	case OnlyNew:
		t.OnlyNew++
	case OnlyOld:
		t.OnlyOld++
	}
}

// Line is one mutation, on one side or on both.
type Line struct {
	Sign   Sign                 `json:"sign"`
	Entity schemas.EntityKey    `json:"entity"`
	Rule   string               `json:"rule"`
	Kind   schemas.MutationKind `json:"kind"`
	// New and Old are the sides. One that is not done stands here too where it
	// was opened and given up under the same key: its reason says why.
	New *Side `json:"new,omitempty"`
	Old *Side `json:"old,omitempty"`
	// Why is what the side that does not do it decided, where that is known.
	Why string `json:"why,omitempty"`

	place int // in the rule
}

// Origin is the transition that the line is told by.
func (l Line) Origin() plan.Origin {
	if l.New != nil && (l.Sign != OnlyOld || l.Old == nil) {
		return l.New.Origin
	}
	return l.Old.Origin
}

// Side is a mutation as one side has it.
type Side struct {
	// MutationID is that of a real one.
	MutationID int64                  `json:"mutation_id,omitempty"`
	State      string                 `json:"state"`
	Reason     string                 `json:"reason,omitempty"`
	Params     json.RawMessage        `json:"params"`
	Key        schemas.IdempotencyKey `json:"idempotency_key"`
	DueAt      time.Time              `json:"due_at,omitzero"`
	Origin     plan.Origin            `json:"transition"`
}
