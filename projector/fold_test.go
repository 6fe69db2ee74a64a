package projector_test

import (
	"slices"
	"testing"
	"time"

	"pawl/projector"
	"pawl/schemas"

	"github.com/google/go-cmp/cmp"
)

const pr7 = schemas.EntityKey("github.com:101#7")

func at(seconds int) schemas.Stated[time.Time] {
	return schemas.Say(time.Date(2026, 1, 1, 0, 0, seconds, 0, time.UTC))
}

// snap returns an event whose snapshot states nothing but what set does.
func snap(action string, seconds int, set func(*schemas.PullRequestSnapshot)) schemas.Event {
	snapshot := &schemas.PullRequestSnapshot{
		Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Number: 7, UpdatedAt: at(seconds),
		Change: action,
	}
	if set != nil {
		set(snapshot)
	}
	return schemas.Event{
		Entity: pr7, Source: "github", DeliveryID: schemas.DeliveryID(action), Provider: "github", Name: "pull_request",
		Action: action, ReceivedAt: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), PullRequest: snapshot,
	}
}

func state(text string) func(*schemas.PullRequestSnapshot) {
	return func(s *schemas.PullRequestSnapshot) { s.State = schemas.Say(text) }
}

func mergedAt(seconds int) func(*schemas.PullRequestSnapshot) {
	return func(s *schemas.PullRequestSnapshot) {
		s.State, s.Merged, s.MergedAt, s.ClosedAt = schemas.Say("closed"), schemas.Say(true), at(seconds), at(seconds)
	}
}

func all(sets ...func(*schemas.PullRequestSnapshot)) func(*schemas.PullRequestSnapshot) {
	return func(s *schemas.PullRequestSnapshot) {
		for _, set := range sets {
			set(s)
		}
	}
}

func head(sha string) func(*schemas.PullRequestSnapshot) {
	return func(s *schemas.PullRequestSnapshot) { s.HeadSHA = schemas.Say(sha) }
}

func labels(names ...string) func(*schemas.PullRequestSnapshot) {
	return func(s *schemas.PullRequestSnapshot) { s.Labels = schemas.Say(append([]string{}, names...)) }
}

func touched(name string) func(*schemas.PullRequestSnapshot) {
	return func(s *schemas.PullRequestSnapshot) { s.Touched = name }
}

func noTime(s *schemas.PullRequestSnapshot) { s.UpdatedAt = schemas.Stated[time.Time]{} }

func kinds(outcomes []projector.Outcome) []schemas.Kind {
	var found []schemas.Kind
	for _, outcome := range outcomes {
		for _, transition := range outcome.Transitions {
			found = append(found, transition.Kind)
		}
	}
	return found
}

func verdicts(outcomes []projector.Outcome) []schemas.Verdict {
	var found []schemas.Verdict
	for _, outcome := range outcomes {
		found = append(found, outcome.Verdict)
	}
	return found
}

func TestFold_PullRequest(t *testing.T) {
	t.Parallel()
	const applied, unchanged, staleV = schemas.Applied, schemas.Unchanged, schemas.Stale
	tests := []struct {
		name     string
		events   []schemas.Event
		verdicts []schemas.Verdict
		kinds    []schemas.Kind
		state    schemas.State
		needs    bool
		check    func(*testing.T, *schemas.PullRequest)
	}{
		{
			name:     "I5 a late synchronize after the merge is stale",
			events:   []schemas.Event{snap("closed", 60, mergedAt(60)), snap("synchronize", 0, all(state("open"), head("b")))},
			verdicts: []schemas.Verdict{applied, staleV}, kinds: []schemas.Kind{"merged"}, state: schemas.Merged,
		},
		{
			name:     "I5 merged is final even without times",
			events:   []schemas.Event{snap("closed", 60, all(mergedAt(60), noTime)), snap("reopened", 0, all(state("open"), noTime))},
			verdicts: []schemas.Verdict{applied, staleV}, kinds: []schemas.Kind{"merged"}, state: schemas.Merged,
		},
		{
			name:     "I5 a newer snapshot of a merged pull request still applies",
			events:   []schemas.Event{snap("closed", 60, mergedAt(60)), snap("labeled", 70, all(mergedAt(60), labels("x"), touched("x")))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"merged", "labels_changed"}, state: schemas.Merged,
		},
		{
			name:     "a lost reopened: a newer synchronize opens it",
			events:   []schemas.Event{snap("closed", 10, all(state("closed"), head("a"))), snap("synchronize", 30, all(state("open"), head("b"))), snap("synchronize", 5, all(state("open"), head("a")))},
			verdicts: []schemas.Verdict{applied, applied, staleV}, kinds: []schemas.Kind{"closed", "reopened", "head_changed"}, state: schemas.Open,
		},
		{
			name:     "I6 closed and labeled in one second, closed first",
			events:   []schemas.Event{snap("opened", 0, state("open")), snap("closed", 10, state("closed")), snap("labeled", 10, all(state("open"), labels("x"), touched("x")))},
			verdicts: []schemas.Verdict{applied, applied, applied}, kinds: []schemas.Kind{"opened", "closed", "labels_changed"}, state: schemas.Closed, needs: true,
		},
		{
			name:     "I6 closed and labeled in one second, labeled first",
			events:   []schemas.Event{snap("opened", 0, state("open")), snap("labeled", 10, all(state("open"), labels("x"), touched("x"))), snap("closed", 10, state("closed"))},
			verdicts: []schemas.Verdict{applied, applied, applied}, kinds: []schemas.Kind{"opened", "labels_changed", "closed"}, state: schemas.Closed,
		},
		{
			name:     "I6 reopened may go down in rank within the second",
			events:   []schemas.Event{snap("closed", 10, state("closed")), snap("reopened", 10, state("open"))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"closed", "reopened"}, state: schemas.Open, needs: true,
		},
		{
			name:     "I6 the later labeled of one second arrives first",
			events:   []schemas.Event{snap("opened", 0, state("open")), snap("labeled", 10, all(labels("x", "y"), touched("y"))), snap("labeled", 10, all(labels("x"), touched("x")))},
			verdicts: []schemas.Verdict{applied, applied, unchanged}, kinds: []schemas.Kind{"opened", "labels_changed"}, state: schemas.Open,
			check: func(t *testing.T, pr *schemas.PullRequest) {
				t.Helper()
				if want := []string{"x", "y"}; !slices.Equal(pr.Labels, want) {
					t.Errorf("labels %v, want %v", pr.Labels, want)
				}
			},
		},
		{
			name:     "I6 labels of one second that exclude each other: the later record applies and asks for a read",
			events:   []schemas.Event{snap("labeled", 10, all(labels("x"), touched("x"))), snap("unlabeled", 10, all(labels(), touched("x")))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"opened", "labels_changed"}, state: schemas.Open, needs: true,
		},
		{
			name:     "I7 an unknown time applies and leaves the watermark",
			events:   []schemas.Event{snap("opened", 20, state("open")), snap("labeled", 0, all(state("open"), labels("x"), touched("x"), noTime))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"opened", "labels_changed"}, state: schemas.Open,
			check: func(t *testing.T, pr *schemas.PullRequest) {
				t.Helper()
				if want := at(20).Value; !pr.ProviderUpdatedAt.Equal(want) {
					t.Errorf("watermark %s, want %s", pr.ProviderUpdatedAt, want)
				}
			},
		},
		{
			name:     "I7 a time more than a day ahead is unknown",
			events:   []schemas.Event{snap("opened", 3*24*3600, state("open")), snap("closed", 10, state("closed"))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"opened", "closed"}, state: schemas.Closed,
		},
		{
			name:     "a payload that contradicts its action does not close, and asks for a read",
			events:   []schemas.Event{snap("opened", 0, state("open")), snap("closed", 10, all(state("open"), func(s *schemas.PullRequestSnapshot) { s.MergeCommitSHA = schemas.Say("m") }))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"opened"}, state: schemas.Open, needs: true,
		},
		{
			name:     "a read ends the doubt",
			events:   []schemas.Event{snap("opened", 0, state("open")), snap("closed", 10, state("open")), snap("", 10, mergedAt(10))},
			verdicts: []schemas.Verdict{applied, applied, applied}, kinds: []schemas.Kind{"opened", "merged"}, state: schemas.Merged,
		},
		{
			name:     "no labels on an action that does not touch them: the last good ones stay",
			events:   []schemas.Event{snap("labeled", 0, all(labels("x"), touched("x"))), snap("synchronize", 10, all(labels(), head("b")))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"opened", "head_changed"}, state: schemas.Open, needs: true,
			check: func(t *testing.T, pr *schemas.PullRequest) {
				t.Helper()
				if want := []string{"x"}; !slices.Equal(pr.Labels, want) {
					t.Errorf("labels %v, want %v", pr.Labels, want)
				}
			},
		},
		{
			name:     "what was held back takes effect when a late unlabeled explains it",
			events:   []schemas.Event{snap("labeled", 0, all(labels("x"), touched("x"))), snap("closed", 10, all(labels(), state("closed"))), snap("unlabeled", 5, all(labels(), touched("x"), state("open")))},
			verdicts: []schemas.Verdict{applied, applied, staleV}, kinds: []schemas.Kind{"opened", "closed", "labels_changed"}, state: schemas.Closed, needs: true,
		},
		{
			name:     "closed without a word on merged keeps merged",
			events:   []schemas.Event{snap("closed", 10, mergedAt(10)), snap("labeled", 20, all(state("closed"), labels("x"), touched("x")))},
			verdicts: []schemas.Verdict{applied, applied}, kinds: []schemas.Kind{"merged", "labels_changed"}, state: schemas.Merged,
		},
		{
			name:     "the same snapshot again changes nothing",
			events:   []schemas.Event{snap("opened", 10, state("open")), snap("opened", 10, state("open"))},
			verdicts: []schemas.Verdict{applied, unchanged}, kinds: []schemas.Kind{"opened"}, state: schemas.Open,
		},
		{
			name:     "first sight yields one transition by its state",
			events:   []schemas.Event{snap("labeled", 10, all(mergedAt(5), labels("x"), touched("x"), head("a")))},
			verdicts: []schemas.Verdict{applied}, kinds: []schemas.Kind{"merged"}, state: schemas.Merged,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, outcomes := foldAll(tt.events)
			if diff := cmp.Diff(verdicts(outcomes), tt.verdicts); diff != "" {
				t.Errorf("verdicts (-got +want):\n%s", diff)
			}
			if diff := cmp.Diff(kinds(outcomes), tt.kinds); diff != "" {
				t.Errorf("transitions (-got +want):\n%s", diff)
			}
			if got.PullRequest.State != tt.state || got.PullRequest.NeedsRead != tt.needs {
				t.Errorf("state %s, needs_read %t (%s), want %s, %t", got.PullRequest.State,
					got.PullRequest.NeedsRead, got.PullRequest.NeedsReadReason, tt.state, tt.needs)
			}
			if tt.check != nil {
				tt.check(t, got.PullRequest)
			}
		})
	}
}

// TestI5_StaleChangesNothing: the very same state comes back.
func TestI5_StaleChangesNothing(t *testing.T) {
	t.Parallel()
	held, _ := foldAll([]schemas.Event{snap("closed", 60, all(mergedAt(60), labels("x"), head("a")))})
	after, outcome := projector.Fold(held, projector.Around{}, snap("synchronize", 0, all(state("open"), head("b"), labels("y"))))
	if outcome.Verdict != schemas.Stale || after.PullRequest != held.PullRequest || len(outcome.Transitions) != 0 {
		t.Errorf("got %s, %v, row changed: %t", outcome.Verdict, outcome.Transitions, after.PullRequest != held.PullRequest)
	}
}

// TestI3_FoldChangesNoArgument: the state that went in is as it was.
func TestI3_FoldChangesNoArgument(t *testing.T) {
	t.Parallel()
	held, _ := foldAll([]schemas.Event{snap("opened", 0, all(state("open"), labels("x"), head("a")))})
	before := *held.PullRequest
	_, _ = projector.Fold(held, projector.Around{}, snap("closed", 10, all(mergedAt(10), labels("y"), head("b"))))
	if diff := cmp.Diff(*held.PullRequest, before); diff != "" {
		t.Errorf("the held row changed (-got +want):\n%s", diff)
	}
}

func comment(change schemas.CommentChange, seconds int, body string) schemas.Event {
	event := snap(string(change), seconds, nil)
	event.PullRequest, event.Name = nil, "issue_comment"
	event.DeliveryID += schemas.DeliveryID(body)
	event.Comment = &schemas.CommentSnapshot{
		Key: "github.com:comment/9", Change: change, Parent: pr7, Author: schemas.Actor{Login: "ann"},
		Body: schemas.Say(body), CreatedAt: at(1), UpdatedAt: at(seconds),
	}
	return event
}

func TestFold_Comment(t *testing.T) {
	t.Parallel()
	opened := snap("opened", 0, state("open"))
	tests := []struct {
		name     string
		events   []schemas.Event
		verdicts []schemas.Verdict
		kinds    []schemas.Kind
		body     string
		state    schemas.CommentState
	}{
		{
			"created twice is announced once",
			[]schemas.Event{opened, comment("created", 1, "a"), comment("created", 1, "a")},
			[]schemas.Verdict{"applied", "applied", "unchanged"},
			[]schemas.Kind{"opened", "comment_created"},
			"a", schemas.CommentLive,
		},
		{
			"before its pull request it waits",
			[]schemas.Event{comment("created", 1, "a"), opened},
			[]schemas.Verdict{"applied", "applied"},
			[]schemas.Kind{"opened", "comment_created"},
			"a", schemas.CommentLive,
		},
		{
			"an edit acts anew",
			[]schemas.Event{opened, comment("created", 1, "a"), comment("edited", 5, "b")},
			[]schemas.Verdict{"applied", "applied", "applied"},
			[]schemas.Kind{"opened", "comment_created", "comment_edited"},
			"b", schemas.CommentLive,
		},
		{
			"the creation after its edit is stale",
			[]schemas.Event{opened, comment("edited", 5, "b"), comment("created", 1, "a")},
			[]schemas.Verdict{"applied", "applied", "stale"},
			[]schemas.Kind{"opened", "comment_created"},
			"b", schemas.CommentLive,
		},
		{
			"an edit in the second of the creation, the edit first",
			[]schemas.Event{opened, comment("edited", 1, "b"), comment("created", 1, "a")},
			[]schemas.Verdict{"applied", "applied", "unchanged"},
			[]schemas.Kind{"opened", "comment_created"},
			"b", schemas.CommentLive,
		},
		{
			"an edit after the deletion does not bring it back",
			[]schemas.Event{opened, comment("created", 1, "a"), comment("deleted", 1, "a"), comment("edited", 9, "b")},
			[]schemas.Verdict{"applied", "applied", "applied", "stale"},
			[]schemas.Kind{"opened", "comment_created", "comment_removed"},
			"b", schemas.CommentRemoved,
		},
		{
			"a deletion that comes first leaves a tombstone",
			[]schemas.Event{opened, comment("deleted", 1, "a"), comment("created", 1, "a")},
			[]schemas.Verdict{"applied", "applied", "stale"},
			[]schemas.Kind{"opened"},
			"a", schemas.CommentRemoved,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, outcomes := foldAll(tt.events)
			if diff := cmp.Diff(verdicts(outcomes), tt.verdicts); diff != "" {
				t.Errorf("verdicts (-got +want):\n%s", diff)
			}
			if diff := cmp.Diff(kinds(outcomes), tt.kinds); diff != "" {
				t.Errorf("transitions (-got +want):\n%s", diff)
			}
			row := got.Comments["github.com:comment/9"]
			if row.Body != tt.body || row.State != tt.state {
				t.Errorf("comment is %q, %s, want %q, %s", row.Body, row.State, tt.body, tt.state)
			}
		})
	}
}

// TestI7_ACommentMovesNoWatermark: a comment newer than a late close does not
// make the close stale.
func TestI7_ACommentMovesNoWatermark(t *testing.T) {
	t.Parallel()
	got, _ := foldAll([]schemas.Event{snap("opened", 0, state("open")), comment("created", 50, "a"), snap("closed", 10, state("closed"))})
	if got.PullRequest.State != schemas.Closed {
		t.Errorf("state %s, want closed", got.PullRequest.State)
	}
}
