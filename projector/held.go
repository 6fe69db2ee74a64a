package projector

import (
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

// Held is what folding a run of records needs to know, and what comes of it: the
// states they touch, and the deliveries seen before. Apply loads one from the
// database for a batch; pawl test keeps one for a whole story.
type Held struct {
	States       map[schemas.EntityKey]State
	Commits      map[schemas.EntityKey]CommitState
	Repositories map[schemas.EntityKey]*schemas.Repository
	Components   map[schemas.EntityKey]*schemas.StatusComponent
	Incidents    map[schemas.EntityKey]*schemas.StatusIncident
	// IssueComments are those of issue trackers; those of pull requests are in
	// their States.
	IssueComments map[schemas.EntityKey]*schemas.Comment
	// Seen holds the bodies seen under a delivery key, but for records that
	// ended dead: a dead letter that is appended again is folded again.
	Seen map[DeliveryKey][]BodyHash
	// Links finds the issues that a pull request names. Nil finds none.
	Links FindLinks

	// heads tells whose head a commit is.
	heads   map[schemas.EntityKey]map[schemas.EntityKey]bool
	changed changes
}

// NewHeld returns an empty Held.
func NewHeld() *Held {
	return &Held{
		States:        make(map[schemas.EntityKey]State),
		Commits:       make(map[schemas.EntityKey]CommitState),
		Repositories:  make(map[schemas.EntityKey]*schemas.Repository),
		Components:    make(map[schemas.EntityKey]*schemas.StatusComponent),
		Incidents:     make(map[schemas.EntityKey]*schemas.StatusIncident),
		IssueComments: make(map[schemas.EntityKey]*schemas.Comment),
		Seen:          make(map[DeliveryKey][]BodyHash),
		heads:         make(map[schemas.EntityKey]map[schemas.EntityKey]bool),
		changed:       newChanges(),
	}
}

// Keep puts a state in, and notes whose head is which commit.
func (h *Held) Keep(key schemas.EntityKey, state State) {
	before, after := headOf(h.States[key]), headOf(state)
	h.States[key] = state
	if before == after {
		return
	}
	delete(h.heads[before], key)
	if after == "" {
		return
	}
	if h.heads[after] == nil {
		h.heads[after] = make(map[schemas.EntityKey]bool, 1)
	}
	h.heads[after][key] = true
}

func headOf(state State) schemas.EntityKey {
	if state.PullRequest == nil {
		return ""
	}
	return state.PullRequest.HeadCommit
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
	var outcome Outcome
	switch {
	case event.Check != nil, event.MergeGroup != nil:
		outcome = h.foldCommit(event)
	case event.Repository != nil:
		outcome = h.foldRepository(event)
	case len(event.Components) > 0, event.Incident != nil:
		outcome = h.foldStatus(event)
	case isOfTracker(event):
		outcome = h.foldIssueComment(event)
	default:
		outcome = h.foldEntity(d.Record.Key, event)
	}
	if outcome.FutureTime {
		outcome.Reason = joinReasons("the provider's time lies more than a day ahead and counts as unknown", outcome.Reason)
	}
	return outcome
}

// foldEntity folds an event of a pull request.
func (h *Held) foldEntity(key schemas.EntityKey, event schemas.Event) Outcome {
	before := h.States[key]
	after, outcome := Fold(before, h.around(before, event), event)
	h.replace(key, before, after)
	return outcome
}

// foldCommit folds an event of a commit, and carries what follows over to the
// pull requests whose head it is.
func (h *Held) foldCommit(event schemas.Event) Outcome {
	before := h.Commits[event.Entity]
	after, outcome := FoldCommit(before, event)
	if outcome.Verdict != schemas.Applied {
		return outcome
	}
	h.Commits[event.Entity] = after
	h.changed.noteCommit(event.Entity, before, after)
	outcome.Transitions = h.carryOver(slices.Sorted(maps.Keys(h.heads[event.Entity])), event)
	return outcome
}

// foldRepository folds an event of a repository, and shows its newest name on
// its pull requests.
func (h *Held) foldRepository(event schemas.Event) Outcome {
	after, outcome := FoldRepository(h.Repositories[event.Entity], event)
	if outcome.Verdict != schemas.Applied {
		return outcome
	}
	h.Repositories[event.Entity] = after
	h.changed.repositories[event.Entity] = after
	var keys []schemas.EntityKey
	for key, state := range h.States {
		if state.PullRequest != nil && repositoryOf(state.PullRequest) == event.Entity {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	outcome.Transitions = h.carryOver(keys, event)
	return outcome
}

// carryOver derives pull requests anew, and returns what changed.
func (h *Held) carryOver(keys []schemas.EntityKey, event schemas.Event) []schemas.Transition {
	var found []schemas.Transition
	for _, key := range keys {
		before := h.States[key]
		row := derive(before, h.around(before, event))
		if sameRow(before.PullRequest, row) {
			continue
		}
		row.Version++
		after := before
		if !sameTexts(before.PullRequest, row) {
			after.Links = deriveLinks(row, h.Links, event)
		}
		after.PullRequest = row
		h.replace(key, before, after)
		found = append(found, transitions(before.PullRequest, row, event)...)
	}
	return found
}

func (h *Held) replace(key schemas.EntityKey, before, after State) {
	h.Keep(key, after)
	h.changed.noteState(key, before, after)
}

// around returns what a pull request's row follows from beside its own
// deliveries.
func (h *Held) around(state State, event schemas.Event) Around {
	around := Around{Commit: func(key schemas.EntityKey) CommitState { return h.Commits[key] }, Links: h.Links}
	switch {
	case state.PullRequest != nil:
		around.Repository = h.Repositories[repositoryOf(state.PullRequest)]
	case event.PullRequest != nil:
		around.Repository = h.Repositories[schemas.RepositoryKey(event.PullRequest.Instance, event.PullRequest.RepositoryID)]
	}
	return around
}

func repositoryOf(row *schemas.PullRequest) schemas.EntityKey {
	return schemas.RepositoryKey(row.Instance, row.RepositoryID)
}

func joinReasons(first, second string) string {
	if second == "" {
		return first
	}
	return first + "; " + second
}
