package simulate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pawl/internal/simulate"
)

const live = `
rules:
  - {name: greet, on: [opened], when: '!pr.draft', once: entity, mutate: [{add_labels: [new]}, {comment: {body: "Hello {{pr.number}}"}}]}
  - {name: stale, on: [opened, converted_to_draft], after: 336h, when: pr.draft, once: entity, mutate: {comment: {body: "Still wanted?"}}}
  - {name: label, on: [labels_changed], when: '"hot" in pr.labels', mutate: {comment: {body: hot}}}
`

func labels(names ...string) string {
	text := ""
	for _, name := range names {
		text += fmt.Sprintf(`,{"name":%q}`, name)
	}
	return `,"draft":false,"labels":[` + strings.TrimPrefix(text, ",") + `]`
}

// lives lets three pull requests live.
func lives(w *world) {
	w.t.Helper()
	w.deliver(7, body("opened", 7, 0, labels()))
	w.deliver(8, body("opened", 8, 0, `,"draft":true`))
	w.deliver(7, body("labeled", 7, 1, labels("hot")), body("labeled", 7, 2, labels("cold", "hot")))
	w.deliver(8, body("ready_for_review", 8, 1, `,"draft":false`), body("converted_to_draft", 8, 2, `,"draft":true`))
	w.deliver(9, body("opened", 9, 0, `,"draft":true`))
}

func check(t *testing.T, report *simulate.Report, want ...string) {
	t.Helper()
	if diff := cmp.Diff(told(report), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

// TestRun_TheRulesOfTheTimeDifferInNothing from what the actuator opened.
func TestRun_TheRulesOfTheTimeDifferInNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, live)
	lives(w)
	report := w.simulate(simulate.Options{New: parse(t, live)})
	check(t, report,
		"= greet add_labels planned/pending",
		"= greet comment planned/pending",
		"= label comment planned/pending",
		"= label comment planned/pending",
		"= stale comment planned/waiting",
		"= stale comment planned/waiting")
	if report.Transitions != 7 || report.Totals != (simulate.Totals{Same: 6}) || len(report.Errors) != 0 {
		t.Errorf("%d transitions, totals %+v, errors %v", report.Transitions, report.Totals, report.Errors)
	}
	if want := map[string]int{"mutate": 6, "no": 3}; !cmp.Equal(report.Decisions, want) {
		t.Errorf("decisions %v, want %v", report.Decisions, want)
	}
	first := report.Mutations[0]
	if first.New.Origin != first.Old.Origin || first.New.Key != first.Old.Key || first.Origin().Name != "acme/api#7" {
		t.Errorf("the sides of one mutation differ: %+v, %+v", first.New, first.Old)
	}
}

// TestRun_TellsEachKindOfDifference from what was done.
func TestRun_TellsEachKindOfDifference(t *testing.T) {
	t.Parallel()
	w := newWorld(t, live)
	lives(w)
	report := w.simulate(simulate.Options{New: parse(t, `
rules:
  - {name: greet, on: [opened], when: 'pr.number == 7', mutate: [{add_labels: [new]}, {comment: {body: "Welcome {{pr.number}}"}}]}
  - {name: stale, on: [converted_to_draft], after: 1h, when: pr.draft, once: entity, mutate: {comment: {body: "Still wanted?"}}}
  - {name: label, on: [labels_changed], when: '"cold" in pr.labels', mutate: {comment: {body: hot}}}
  - {name: tell, on: [ready_for_review], mutate: {add_labels: [ready]}}
`)})
	check(t, report,
		"= greet add_labels planned/pending",
		"~ greet comment planned/pending",
		`- label comment /pending no: "cold" in pr.labels is false: pr.labels = ["hot"]`,
		"= label comment planned/pending",
		"+ tell add_labels planned/ no rule of that name was asked",
		"= stale comment planned/waiting",
		"- stale comment /waiting the rule does not listen to opened")
	if want := (simulate.Totals{Same: 3, Changed: 1, OnlyNew: 1, OnlyOld: 2}); report.Totals != want {
		t.Errorf("totals %+v, want %+v", report.Totals, want)
	}
}

// TestRun_AgainstOtherRules needs nothing that was done.
func TestRun_AgainstOtherRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	lives(w)
	check(t, w.simulate(simulate.Options{New: parse(t, live), Old: parse(t, live)}),
		"= greet add_labels planned/planned", "= greet comment planned/planned", "= label comment planned/planned",
		"= label comment planned/planned", "= stale comment planned/planned", "= stale comment planned/planned")
	stricter := strings.Replace(live, "on: [opened, converted_to_draft], after: 336h", "on: [opened, converted_to_draft], after: 1m", 1)
	stricter = strings.Replace(stricter, `'"hot" in pr.labels'`, `'"cold" in pr.labels'`, 1)
	check(t, w.simulate(simulate.Options{New: parse(t, live), Old: parse(t, stricter)}),
		"= greet add_labels planned/planned", "= greet comment planned/planned",
		`+ label comment planned/ no: "cold" in pr.labels is false: pr.labels = ["hot"]`,
		"= label comment planned/planned", "= stale comment planned/planned", "= stale comment planned/planned")
	check(t, w.simulate(simulate.Options{New: parse(t, "rules: []"), Old: parse(t, "rules: [{name: x, on: [ready_for_review], mutate: {close: {}}}]")}),
		"- x close /planned there is no rule x")
}

// TestRun_HowARealOneEnded: what the provider refused is no difference of rules,
// and neither is what both gave up.
func TestRun_HowARealOneEnded(t *testing.T) {
	t.Parallel()
	const two = `rules: [{name: r, on: [opened], mutate: [{add_labels: [a]}, {close: {}}]}]`
	const nothing = `rules: [{name: other, on: [opened], mutate: {close: {}}}]`
	settle := func(states ...string) *world {
		w := newWorld(t, two)
		w.deliver(7, body("opened", 7, 0, ""))
		for position, state := range states {
			w.exec(`update pawl.mutation set state = split_part($2, ' ', 1), settled_at = now(), reason = 'why',
			               claimed_at = case when split_part($2, ' ', 2) = 'tried' then now() end
			         where position = $1`, position, state)
		}
		return w
	}
	tests := []struct {
		name          string
		states        []string
		same, dropped []string // with the rules of the time, and with others
	}{
		{"done", []string{"done tried", "done tried"}, []string{"= r add_labels planned/done", "= r close planned/done"}, []string{
			"- r add_labels /done there is no rule r", "- r close /done there is no rule r",
		}},
		{"skipped, and the later one cancelled", []string{"skipped tried", "cancelled"}, []string{"= r add_labels planned/skipped", "= r close planned/cancelled"}, []string{}},
		{"dead at the provider", []string{"done tried", "dead tried"}, []string{"= r add_labels planned/done", "= r close planned/dead"}, []string{
			"- r add_labels /done there is no rule r", "- r close /dead there is no rule r",
		}},
		{"dead by a limit", []string{"done tried", "dead"}, []string{"= r add_labels planned/done", "+ r close planned/dead"}, []string{"- r add_labels /done there is no rule r"}},
		{"cancelled by a contrary state", []string{"cancelled", "done tried"}, []string{"+ r add_labels planned/cancelled", "= r close planned/done"}, []string{"- r close /done there is no rule r"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := settle(tt.states...)
			check(t, w.simulate(simulate.Options{New: parse(t, two)}), slices.Clone(tt.same)...)
			dropped := w.simulate(simulate.Options{New: parse(t, nothing)})
			dropped.Mutations = slices.DeleteFunc(dropped.Mutations, func(l simulate.Line) bool { return l.Rule == "other" })
			if diff := cmp.Diff(told(dropped), tt.dropped); diff != "" {
				t.Errorf("without the rule -got +want:\n%s", diff)
			}
		})
	}
}

// TestRun_SinceHoldsTheKeysOfBefore and takes only what came later.
func TestRun_SinceHoldsTheKeysOfBefore(t *testing.T) {
	t.Parallel()
	const once = `rules: [{name: r, on: [opened, labels_changed], once: entity, mutate: {close: {}}}]`
	w := newWorld(t, once)
	w.deliver(7, body("opened", 7, 0, labels()))
	var since time.Time
	if err := w.pool.QueryRow(t.Context(), `select clock_timestamp()`).Scan(&since); err != nil {
		t.Fatal(err)
	}
	w.deliver(7, body("labeled", 7, 1, labels("x")))
	w.deliver(8, body("opened", 8, 0, labels()))
	report := w.simulate(simulate.Options{New: parse(t, once), Since: since})
	check(t, report, "= r close planned/pending")
	if report.Transitions != 2 || report.Decisions["repeat"] != 1 || report.Mutations[0].Entity != "github.com:101#8" {
		t.Errorf("%d transitions, decisions %v, mutations %+v", report.Transitions, report.Decisions, report.Mutations)
	}
	w.exec(`update pawl.mutation set state = 'skipped', settled_at = now() where id = 1`)
	check(t, w.simulate(simulate.Options{New: parse(t, once), Since: since}),
		"+ r close planned/ "+w.decided(), "= r close planned/pending")
	empty := w.simulate(simulate.Options{New: parse(t, once), Since: since.Add(time.Hour)})
	if empty.Transitions != 0 || len(empty.Mutations) != 0 {
		t.Errorf("of the future: %+v", empty)
	}
}

// decided returns what was made of the newest transition of pull request 7.
func (w *world) decided() string {
	w.t.Helper()
	var text string
	err := w.pool.QueryRow(w.t.Context(), `select outcome || ': ' || reason from pawl.decision where entity_key = 'github.com:101#7' order by decided_at desc limit 1`).Scan(&text)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// TestRun_ReadsByPagesInTheOrderOfFolding: also where one batch holds more than a
// page.
func TestRun_ReadsByPagesInTheOrderOfFolding(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	bodies := []string{body("opened", 7, 0, labels())}
	for i := 1; i < 1200; i++ {
		bodies = append(bodies, body("labeled", 7, i, labels(fmt.Sprintf("l%d", i))))
	}
	w.deliver(7, bodies...)
	const each = `{limits: {per_rule: 0, per_entity: 0}, rules: [{name: r, on: [labels_changed], mutate: {comment: {body: "{{pr.labels}}"}}}]}`
	report := w.simulate(simulate.Options{New: parse(t, each), Old: parse(t, "rules: []")})
	if report.Transitions != 1200 || report.Totals.OnlyNew != 1199 {
		t.Fatalf("%d transitions, %+v", report.Transitions, report.Totals)
	}
	for i, line := range report.Mutations {
		if got, want := string(line.New.Params), fmt.Sprintf(`{"body":"l%d"}`, i+1); got != want {
			t.Fatalf("mutation %d is %s, want %s", i, got, want)
		}
	}
}

// TestRun_ListsErrors of the new rules.
func TestRun_ListsErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.deliver(7, body("opened", 7, 0, labels()))
	report := w.simulate(simulate.Options{New: parse(t, `rules: [{name: r, on: [opened], when: 'pr.labels[0] == "x"', mutate: {close: {}}}]`)})
	if len(report.Errors) != 1 || report.Errors[0].Rule != "r" || !strings.Contains(report.Errors[0].Reason, "pr.labels[0]") {
		t.Errorf("errors %+v", report.Errors)
	}
}

// TestRun_WritesNothing: it gets by where nobody may write, and leaves all tables
// as they were.
func TestRun_WritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, live)
	lives(w)
	before := w.tables()
	locked, err := w.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = locked.Rollback(context.WithoutCancel(t.Context())) }()
	for _, table := range w.names() {
		if _, err := locked.Exec(t.Context(), "lock table pawl."+table+" in exclusive mode"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := simulate.Run(ctx, w.pool, simulate.Options{New: parse(t, live)}); err != nil {
		t.Error(err)
	}
	if err := locked.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.tables(), before); diff != "" {
		t.Errorf("-after +before:\n%s", diff)
	}
}

func (w *world) names() []string {
	w.t.Helper()
	rows, err := w.pool.Query(w.t.Context(), `select tablename from pg_tables where schemaname = 'pawl' order by 1`)
	if err != nil {
		w.t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	return names
}

// tables are the rows of all tables.
func (w *world) tables() map[string]string {
	w.t.Helper()
	held := make(map[string]string)
	for _, name := range w.names() {
		var text string
		sql := `select coalesce(string_agg(x::text, E'\n' order by x::text), '') from pawl.` + name + ` x`
		if err := w.pool.QueryRow(w.t.Context(), sql).Scan(&text); err != nil {
			w.t.Fatal(err)
		}
		held[name] = text
	}
	return held
}
