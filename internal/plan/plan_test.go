package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pawl/actuator/rules"
	"pawl/internal/plan"
	"pawl/schemas"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func parse(t testing.TB, text string) *rules.Set {
	t.Helper()
	set, err := rules.Parse("pawl.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// run makes transitions of one pull request, each under a delivery of its own.
type run struct {
	plan    *plan.Plan
	row     schemas.PullRequest
	at      time.Time
	next    int
	decided []plan.Decision
}

func newRun(t testing.TB, text string) *run {
	t.Helper()
	return &run{plan: plan.New(parse(t, text)), at: start, row: schemas.PullRequest{
		EntityKey: "github.com:101#7", Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
		State: schemas.Open, HeadSHA: "aaaa",
	}}
}

func (r *run) transition(kind schemas.Kind, after time.Duration, change func(*schemas.PullRequest)) schemas.Transition {
	r.at = r.at.Add(after)
	r.next++
	change(&r.row)
	row := r.row
	row.Labels = slices.Clone(row.Labels)
	cause := schemas.Cause{Source: "github", DeliveryID: schemas.DeliveryID(fmt.Sprintf("d-%d", r.next)), ReceivedAt: r.at}
	made := schemas.NewTransition(row.EntityKey, kind, schemas.Value{}, schemas.Value{Text: "x"}, cause)
	made.PullRequest = &row
	return made
}

func (r *run) take(kind schemas.Kind, after time.Duration, change func(*schemas.PullRequest)) {
	r.decided = r.plan.Take(r.transition(kind, after, change))
}

// told is what became of the mutations, in short.
func (r *run) told() []string {
	told := []string{}
	for _, m := range r.plan.Mutations() {
		told = append(told, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", m.Rule, m.Kind, m.State, m.Reason)))
	}
	return told
}

func (r *run) want(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(r.told(), want); diff != "" {
		t.Errorf("mutations -got +want:\n%s", diff)
	}
}

func same(*schemas.PullRequest)    {}
func draft(p *schemas.PullRequest) { p.Draft = true }
func ready(p *schemas.PullRequest) { p.Draft = false }

const staleDraft = `
rules:
  - name: stale
    on: [converted_to_draft]
    after: 336h
    when: pr.draft
    once: entity
    mutate: {comment: {body: "Still wanted?"}}
`

const twoWeeks = 336 * time.Hour

func TestWaiting_ContraryStateCancels(t *testing.T) {
	t.Parallel()
	r := newRun(t, staleDraft)
	r.take(schemas.KindConvertedToDraft, 0, draft)
	r.take(schemas.KindLabelsChanged, time.Hour, same)
	r.want(t, "stale comment planned")
	r.take(schemas.KindReadyForReview, time.Hour, ready)
	r.plan.Finish()
	r.want(t, "stale comment cancelled pr.draft is false: pr.draft = false (was true)")
}

// TestWaiting_CancelledKeyIsGivenBack: `once: entity` may open it again (I11).
func TestWaiting_CancelledKeyIsGivenBack(t *testing.T) {
	t.Parallel()
	r := newRun(t, staleDraft)
	r.take(schemas.KindConvertedToDraft, 0, draft)
	r.take(schemas.KindReadyForReview, time.Hour, ready)
	r.take(schemas.KindConvertedToDraft, time.Hour, draft)
	r.plan.Finish()
	r.want(t, "stale comment cancelled pr.draft is false: pr.draft = false (was true)", "stale comment planned")
	if all := r.plan.Mutations(); all[0].Key != all[1].Key {
		t.Error("the keys differ, want one that was given back")
	}
	if got, want := wanted(r.plan)[0].DueAt, start.Add(2*time.Hour+twoWeeks); !got.Equal(want) {
		t.Errorf("due at %s, want %s", got, want)
	}
}

// TestWaiting_DecidedWhenItsTimeComes: what comes after that cancels nothing.
func TestWaiting_DecidedWhenItsTimeComes(t *testing.T) {
	t.Parallel()
	r := newRun(t, staleDraft)
	r.take(schemas.KindConvertedToDraft, 0, draft)
	r.take(schemas.KindReadyForReview, twoWeeks, ready)
	r.take(schemas.KindConvertedToDraft, time.Hour, draft)
	r.want(t, "stale comment planned")
	if got := r.decided[0]; got.Outcome != plan.Repeat || got.Reason != "comment: its key is held by an earlier mutation" {
		t.Errorf("decision %+v, want a repeat", got)
	}
}

// TestWaiting_DecidedOnTheNewestRow: a change that was no transition cancels
// nothing, and is seen when the time comes.
func TestWaiting_DecidedOnTheNewestRow(t *testing.T) {
	t.Parallel()
	see := func(after time.Duration) *run {
		r := newRun(t, strings.Replace(staleDraft, "pr.draft", "pr.comments == 0", 1))
		r.take(schemas.KindConvertedToDraft, 0, draft)
		row := r.row
		row.Comments = 3
		if got := r.plan.Waiting(); !slices.Equal(got, []schemas.EntityKey{row.EntityKey}) {
			t.Fatalf("waiting: %v", got)
		}
		r.plan.See(&row, start.Add(after))
		return r
	}
	r := see(time.Hour)
	r.want(t, "stale comment planned")
	r.plan.Finish()
	r.want(t, "stale comment skipped pr.comments == 0 is false: pr.comments = 3 (was 0)")
	r = see(twoWeeks)
	r.plan.Finish()
	r.want(t, "stale comment planned")
}

// TestWaiting_LaterMutationsFollowASkippedOne as in production.
func TestWaiting_LaterMutationsFollowASkippedOne(t *testing.T) {
	t.Parallel()
	text := strings.Replace(staleDraft, `{comment: {body: "Still wanted?"}}`, "[{add_labels: [stale]}, {close: {}}]", 1)
	skipped := func(text string) *run {
		r := newRun(t, text)
		r.take(schemas.KindConvertedToDraft, 0, draft)
		row := r.row
		row.Draft = false
		r.plan.See(&row, start.Add(time.Hour))
		r.plan.Finish()
		return r
	}
	const why = "pr.draft is false: pr.draft = false (was true)"
	skipped(text).want(t, "stale add_labels skipped "+why, "stale close cancelled an earlier mutation of the decision was refused: "+why)
	skipped(text+"    on_refusal: go_on\n").want(t, "stale add_labels skipped "+why, "stale close skipped "+why)
}

// wanted returns the mutations that would be done.
func wanted(p *plan.Plan) []*plan.Mutation {
	return slices.DeleteFunc(slices.Clone(p.Mutations()), func(m *plan.Mutation) bool { return m.State != plan.Planned })
}

const labeler = `
limits: {per_rule: 2, per_entity: 3}
rules:
  - {name: ping, on: [labels_changed], mutate: {comment: {body: ping}}}
  - {name: pong, on: [title_changed], mutate: {comment: {body: pong}}}
`

// TestLimits_CutALoop: by rule and by entity, within an hour of receipt.
func TestLimits_CutALoop(t *testing.T) {
	t.Parallel()
	r := newRun(t, labeler)
	r.plan.Hold(plan.Past{Entity: r.row.EntityKey, Rule: "gone", Key: "k", At: start})
	r.take(schemas.KindLabelsChanged, 30*time.Minute, same)
	r.take(schemas.KindLabelsChanged, time.Minute, same)
	r.take(schemas.KindLabelsChanged, time.Minute, same)
	r.take(schemas.KindTitleChanged, time.Minute, same)
	r.take(schemas.KindTitleChanged, 2*time.Hour, same)
	r.want(t,
		"ping comment planned",
		"ping comment planned",
		"ping comment dead rule ping has made 2 mutations of github.com:101#7 within an hour, and limits.per_rule is 2: it looks like a loop",
		"pong comment dead the rules have made 4 mutations of github.com:101#7 within an hour, and limits.per_entity is 3: it looks like a loop",
		"pong comment planned")
	if got := len(wanted(r.plan)); got != 3 {
		t.Errorf("%d are wanted, want 3: what is dead is not done", got)
	}
}

// TestLimits_ARepeatCountsForNothing: a key that is held opens no mutation, so it
// takes no other rule's place under the limit.
func TestLimits_ARepeatCountsForNothing(t *testing.T) {
	t.Parallel()
	r := newRun(t, `
limits: {per_rule: 0, per_entity: 2}
rules:
  - {name: once, on: [labels_changed, title_changed], once: entity, mutate: {comment: {body: once}}}
  - {name: each, on: [title_changed], mutate: {comment: {body: each}}}
`)
	r.take(schemas.KindLabelsChanged, 0, same)
	r.take(schemas.KindTitleChanged, time.Minute, same)
	r.want(t, "once comment planned", "each comment planned")
}

// TestTake_TimeDoesNotGoBack: an old delivery that comes late makes nothing due
// earlier.
func TestTake_TimeDoesNotGoBack(t *testing.T) {
	t.Parallel()
	r := newRun(t, staleDraft)
	r.take(schemas.KindLabelsChanged, time.Hour, same)
	r.take(schemas.KindConvertedToDraft, -30*time.Minute, draft)
	if got, want := wanted(r.plan)[0].DueAt, start.Add(time.Hour+twoWeeks); !got.Equal(want) {
		t.Errorf("due at %s, want %s", got, want)
	}
}

// TestTake_SeveralMutationsKeepTheirOrder of the rule.
func TestTake_SeveralMutationsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	r := newRun(t, "rules: [{name: r, on: [opened], mutate: [{add_labels: [a]}, {comment: {body: b}}, {close: {}}]}]")
	r.plan.Hold(plan.Past{Entity: r.row.EntityKey, Rule: "r", Key: keyOf(t, r, 1), At: start})
	r.take(schemas.KindOpened, 0, same)
	r.want(t, "r add_labels planned", "r close planned")
	if got := r.decided[0].Outcome; got != rules.OutcomeMutate {
		t.Errorf("outcome %s: two of three were opened, that is no repeat", got)
	}
	if got := r.plan.Mutations()[1]; got.Position != 2 || got.Origin.Name != "acme/api#7" || got.Origin.DeliveryID != "d-2" {
		t.Errorf("the second is %+v", got)
	}
}

// keyOf returns the key of a mutation that the next transition opens.
func keyOf(t *testing.T, r *run, place int) schemas.IdempotencyKey {
	t.Helper()
	other := newRun(t, "rules: [{name: r, on: [opened], mutate: [{add_labels: [a]}, {comment: {body: b}}, {close: {}}]}]")
	other.next = r.next + 1
	r.next++
	other.take(schemas.KindOpened, 0, same)
	made := other.plan.Mutations()[place]
	if made.Origin.DeliveryID != "d-2" {
		t.Fatalf("the transition is of %s", made.Origin.DeliveryID)
	}
	return made.Key
}

const everyWay = `
conditions: {wip: 'pr.draft || "wip" in pr.labels'}
limits: {per_rule: 4, per_entity: 6}
rules:
  - {name: stale, on: [converted_to_draft, labels_changed], after: 3h, when: wip, once: entity, mutate: [{add_labels: [stale]}, {comment: {body: hm}}]}
  - {name: nudge, on: [labels_changed], after: 30m, when: "!wip", on_refusal: go_on, mutate: {comment: {body: "{{pr.labels}}"}}}
  - {name: head, on: [head_changed, opened], once: head, when: '!pr.draft', mutate: {add_labels: [new]}}
  - {name: shout, on: [labels_changed, head_changed], mutate: {comment: {body: a}}}
`

// draw draws a run of transitions of several pull requests.
func draw(t *rapid.T) []schemas.Transition {
	var all []schemas.Transition
	runs := make(map[int64]*run)
	for range rapid.IntRange(1, 40).Draw(t, "transitions") {
		number := rapid.Int64Range(1, 3).Draw(t, "number")
		if runs[number] == nil {
			runs[number] = &run{at: start, next: int(number) * 1000, row: schemas.PullRequest{
				EntityKey: schemas.EntityKey(fmt.Sprintf("github.com:101#%d", number)), Instance: "github.com", Repository: "acme/api",
				Number: number, State: schemas.Open, HeadSHA: "a",
			}}
		}
		kind := rapid.SampledFrom([]schemas.Kind{
			schemas.KindOpened, schemas.KindConvertedToDraft, schemas.KindReadyForReview, schemas.KindLabelsChanged, schemas.KindHeadChanged,
		}).Draw(t, "kind")
		minutes := rapid.IntRange(-10, 120).Draw(t, "minutes")
		label := rapid.SampledFrom([]string{"wip", "x"}).Draw(t, "label")
		all = append(all, runs[number].transition(kind, time.Duration(minutes)*time.Minute, func(p *schemas.PullRequest) {
			switch kind {
			case schemas.KindConvertedToDraft:
				p.Draft = true
			case schemas.KindReadyForReview:
				p.Draft = false
			case schemas.KindLabelsChanged:
				p.Labels = []string{label}
			case schemas.KindHeadChanged:
				p.HeadSHA += "a"
			}
		}))
	}
	return all
}

// tell writes a whole plan.
func tell(t testing.TB, transitions []schemas.Transition) map[schemas.EntityKey][]string {
	t.Helper()
	made := plan.New(parse(t, everyWay))
	told := make(map[schemas.EntityKey][]string)
	for _, transition := range transitions {
		for _, d := range made.Take(transition) {
			told[d.Entity] = append(told[d.Entity], fmt.Sprint(d))
		}
	}
	made.Finish()
	for _, m := range made.Mutations() {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		told[m.Entity] = append(told[m.Entity], string(text))
	}
	return told
}

// TestPlan_IsAFunctionOfEachEntitysTransitions: the same transitions give the
// same plan, in whatever way those of several entities are mixed.
func TestPlan_IsAFunctionOfEachEntitysTransitions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		all := draw(rt)
		want := tell(t, all)
		if diff := cmp.Diff(tell(t, all), want); diff != "" {
			rt.Fatalf("a second run differs:\n%s", diff)
		}
		slices.SortStableFunc(all, func(a, b schemas.Transition) int { return strings.Compare(string(a.Entity), string(b.Entity)) })
		if diff := cmp.Diff(tell(t, all), want); diff != "" {
			rt.Fatalf("one entity after the other differs:\n%s", diff)
		}
	})
}

// checkLimits counts, for each mutation, what was opened in the hour before it.
func checkLimits(t *rapid.T, all []*plan.Mutation, times []time.Time) {
	for i, m := range all {
		byRule, byEntity := 0, 0
		for j, other := range all[:i+1] {
			if other.State != plan.Planned || other.Entity != m.Entity || !times[j].After(times[i].Add(-time.Hour)) {
				continue
			}
			byEntity++
			if other.Rule == m.Rule {
				byRule++
			}
		}
		if byRule > 4 || byEntity > 6 {
			t.Fatalf("within an hour %d of rule %s and %d of %s", byRule, m.Rule, byEntity, m.Entity)
		}
	}
}

// TestPlan_KeysAndLimitsHold: of a key no two mutations are done, and within no
// hour is more done than the limits say.
func TestPlan_KeysAndLimitsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		made := plan.New(parse(t, everyWay))
		var times []time.Time // when each was opened
		latest := make(map[schemas.EntityKey]time.Time)
		for _, transition := range draw(rt) {
			if at := transition.Cause.ReceivedAt; at.After(latest[transition.Entity]) {
				latest[transition.Entity] = at
			}
			made.Take(transition)
			for len(times) < len(made.Mutations()) {
				times = append(times, latest[transition.Entity])
			}
		}
		made.Finish()
		checkLimits(rt, made.Mutations(), times)
		keys := make(map[schemas.IdempotencyKey]bool)
		for _, m := range wanted(made) {
			if keys[m.Key] {
				rt.Fatalf("%s %s is planned twice under one key", m.Rule, m.Kind)
			}
			keys[m.Key] = true
		}
		if got := len(made.Waiting()); got != 0 {
			rt.Fatalf("after all delays %d entities wait", got)
		}
		for _, m := range made.Mutations() {
			if !m.State.Valid() || m.State != plan.Planned && m.Reason == "" {
				rt.Fatalf("%s %s is %q for %q", m.Rule, m.Kind, m.State, m.Reason)
			}
		}
	})
}
