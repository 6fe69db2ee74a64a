package projector

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"pawl/schemas"
)

// DeliveryKey is the deduplication key of a record: two sources may report one
// event under one id.
type DeliveryKey struct {
	Source string
	ID     schemas.DeliveryID
}

// BodyHash is a 64-bit hash of a body. It tells a duplicate
// from an id that was used twice.
type BodyHash [8]byte

// Decoded is one record made ready for the fold. Err is set where the record
// broke the contract or its body could not be decoded.
type Decoded struct {
	Record schemas.Record
	Hash   BodyHash
	Event  schemas.Event
	Err    error
}

// Result is how one record ended.
type Result struct {
	Outcome
	// IDReused: the (source, delivery id) was seen with another body.
	IDReused bool
}

// Held is what folding a run of records needs to know, and what comes of it:
// the states they touch, and the deliveries seen before. Apply loads one from
// the database for a batch; pawl test keeps one for a whole story.
type Held struct {
	States map[schemas.EntityKey]State
	// Seen holds the bodies seen under a delivery key, but for records that
	// ended dead: a dead letter that is appended again is folded again.
	Seen map[DeliveryKey][]BodyHash

	changedPullRequests map[schemas.EntityKey]*schemas.PullRequest
	changedComments     map[schemas.EntityKey]schemas.Comment
}

// NewHeld returns an empty Held.
func NewHeld() *Held {
	return &Held{
		States:              make(map[schemas.EntityKey]State),
		Seen:                make(map[DeliveryKey][]BodyHash),
		changedPullRequests: make(map[schemas.EntityKey]*schemas.PullRequest),
		changedComments:     make(map[schemas.EntityKey]schemas.Comment),
	}
}

// Fold folds one record: it tells duplicates, dead and foreign records apart,
// and gives the rest to Fold.
func (h *Held) Fold(d Decoded) Result {
	record := d.Record
	if d.Err != nil {
		return Result{Outcome: Outcome{Verdict: schemas.Dead, Reason: d.Err.Error()}}
	}
	if entity := d.Event.Entity; entity != "" && entity != record.Key {
		return Result{Outcome: Outcome{
			Verdict: schemas.Dead,
			Reason:  fmt.Sprintf("the record's key is %s, but its body is about %s: produce it under that key", record.Key, entity),
		}}
	}
	key := DeliveryKey{Source: record.Source, ID: record.ID}
	seen := h.Seen[key]
	if slices.Contains(seen, d.Hash) {
		return Result{Outcome: Outcome{Verdict: schemas.Duplicate, Reason: "seen before from this source, with the same body"}}
	}
	h.Seen[key] = append(slices.Clone(seen), d.Hash)
	result := Result{Outcome: h.fold(d), IDReused: len(seen) > 0}
	if result.IDReused {
		result.Reason = joinReasons("the delivery id was used before for another body", result.Reason)
	}
	return result
}

func (h *Held) fold(d Decoded) Outcome {
	event := d.Event
	event.TraceParent = d.Record.TraceParent
	before := h.States[d.Record.Key]
	after, outcome := Fold(before, event)
	if outcome.FutureTime {
		outcome.Reason = joinReasons("the provider's time lies more than a day ahead and counts as unknown", outcome.Reason)
	}
	h.States[d.Record.Key] = after
	if after.PullRequest != before.PullRequest {
		h.changedPullRequests[d.Record.Key] = after.PullRequest
	}
	h.noteComments(before, after)
	return outcome
}

func (h *Held) noteComments(before, after State) {
	for key, comment := range after.Comments {
		if held, ok := before.Comments[key]; !ok || held != comment {
			h.changedComments[key] = comment
		}
	}
}

// ChangedPullRequests returns the rows that folding changed, sorted by key.
func (h *Held) ChangedPullRequests() []*schemas.PullRequest {
	return slices.SortedFunc(maps.Values(h.changedPullRequests), func(a, b *schemas.PullRequest) int {
		return cmp.Compare(a.EntityKey, b.EntityKey)
	})
}

// ChangedComments returns the comments that folding changed, sorted by key.
func (h *Held) ChangedComments() []schemas.Comment {
	return slices.SortedFunc(maps.Values(h.changedComments), func(a, b schemas.Comment) int {
		return cmp.Compare(a.EntityKey, b.EntityKey)
	})
}

func joinReasons(first, second string) string {
	if second == "" {
		return first
	}
	return first + "; " + second
}
