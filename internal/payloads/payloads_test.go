package payloads_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/payloads"
	"pawl/schemas"
)

var update = flag.Bool("update", false, "write docs/payloads.md anew")

const document = "../../docs/payloads.md"

// plainSecrets sign by what each provider calls a secret. That of GitLab is a
// token, and is sent as it is.
func plainSecrets() map[payloads.Forge]string {
	secrets := make(map[payloads.Forge]string)
	for _, forge := range payloads.Forges() {
		secrets[forge] = "never-to-be-seen-again-" + string(forge)
	}
	return secrets
}

// TestEachPayloadAlone: each file is the only delivery of its source and its
// instance, so that nothing of another file is under its keys.
func TestEachPayloadAlone(t *testing.T) {
	t.Parallel()
	samples, unsent := read(t)
	places := make(map[string]string)
	for i, sample := range samples {
		places[sample.Name] = fmt.Sprintf("p%03d", i+1)
	}
	w := newWorld(t, samples, plainSecrets(), func(sample payloads.Sample) string { return places[sample.Name] })
	w.send(samples)
	outcomes := w.outcomes()
	checkVerdicts(t, samples, outcomes)
	checkDocument(t, payloads.Document(outcomes, unsent))
	w.checkRedelivery()
	w.checkLog()
	w.checkRowsKeepNoSecret()
}

// TestAllPayloadsTogether_InAnyOrder: all files of a forge have one source and
// one instance. Many are of one repository and one pull request, and tell of it
// what cannot all be true.
func TestAllPayloadsTogether_InAnyOrder(t *testing.T) {
	t.Parallel()
	samples, _ := read(t)
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same order each time
			shuffled := slices.Clone(samples)
			random.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
			secrets := plainSecrets()
			secrets[payloads.GitLab] = "whsec_bmV2ZXItdG8tYmUtc2Vlbi1hZ2Fpbg==" // signs, and is not sent
			w := newWorld(t, shuffled, secrets, func(sample payloads.Sample) string { return string(sample.Forge()) })
			w.send(shuffled)
			checkDead(t, w.outcomes())
			w.checkRedelivery()
			w.checkLog()
		})
	}
}

// checkVerdicts: each sample has one verdict, and where nothing was before, none
// can be late or without an effect.
func checkVerdicts(t *testing.T, samples []payloads.Sample, outcomes []payloads.Outcome) {
	t.Helper()
	if len(outcomes) != len(samples) {
		t.Errorf("%d samples have a verdict, want %d", len(outcomes), len(samples))
	}
	for _, outcome := range outcomes {
		switch outcome.Verdict {
		case schemas.Applied:
			if len(outcome.Into) == 0 {
				t.Errorf("%s is applied, and no table has a row of it", outcome.Name)
			}
		case schemas.Ignored, schemas.Dead:
			if len(outcome.Into) > 0 {
				t.Errorf("%s is %s, and there are rows of it: %v", outcome.Name, outcome.Verdict, outcome.Into)
			}
			if outcome.Reason == "" {
				t.Errorf("%s is %s, and nothing says why", outcome.Name, outcome.Verdict)
			}
		case schemas.Unchanged, schemas.Stale, schemas.Duplicate:
			t.Errorf("%s is %s (%s), and it is the first of its kind", outcome.Name, outcome.Verdict, outcome.Reason)
		}
	}
	checkDead(t, outcomes)
}

// checkDead: dead is what is listed as undecodable, for the listed reason, and
// nothing else.
func checkDead(t *testing.T, outcomes []payloads.Outcome) {
	t.Helper()
	listed := maps.Clone(payloads.Undecodable)
	for _, outcome := range outcomes {
		flaw, isListed := listed[outcome.Name]
		delete(listed, outcome.Name)
		switch isDead := outcome.Verdict == schemas.Dead; {
		case isDead && !isListed:
			t.Errorf("%s is dead: %s", outcome.Name, outcome.Reason)
		case !isDead && isListed:
			t.Errorf("%s is %s, and is listed as undecodable", outcome.Name, outcome.Verdict)
		case isDead && !strings.Contains(outcome.Reason, flaw.Field):
			t.Errorf("%s is dead for another reason than %s: %s", outcome.Name, flaw.Field, outcome.Reason)
		}
	}
	for name := range listed {
		t.Errorf("%s is listed as undecodable, and there is no such file", name)
	}
}

// checkDocument holds docs/payloads.md against what became of the payloads.
func checkDocument(t *testing.T, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil { //nolint:gosec // a document that all may read
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("docs/payloads.md is not in step with the code; run make payloads, and read what changed (-got +want):\n%s", diff)
	}
}

// checkRedelivery sends all again under the same ids. What is dead is dead again;
// all else is a duplicate, and no row but those of the records themselves changes.
func (w *world) checkRedelivery() {
	w.t.Helper()
	before, first := w.folded(), w.posted
	w.send(w.samples)
	if diff := cmp.Diff(w.folded(), before); diff != "" {
		w.t.Errorf("rows after the second delivery of all (-got +want):\n%s", diff)
	}
	var duplicates, dead, others int
	if err := w.pool.QueryRow(w.t.Context(), `
		select count(*) filter (where verdict = 'duplicate'), count(*) filter (where verdict = 'dead'),
		       count(*) filter (where verdict not in ('duplicate', 'dead'))
		  from pawl.delivery`).Scan(&duplicates, &dead, &others); err != nil {
		w.t.Fatal(err)
	}
	undecodable := len(payloads.Undecodable)
	if duplicates != first-undecodable || dead != 2*undecodable || others != first-undecodable {
		w.t.Errorf("after two deliveries of %d files %d verdicts are duplicate, %d dead and %d another; want %d, %d and %d",
			first, duplicates, dead, others, first-undecodable, 2*undecodable, first-undecodable)
	}
}

// folded returns the rows of all tables but those that are of records, not of
// what they say.
func (w *world) folded() map[string][]any {
	w.t.Helper()
	rows := make(map[string][]any)
	for _, table := range w.tables() {
		if table != "delivery" && table != "dead_letter" && table != "checkpoint" {
			rows[table] = w.values(table)
		}
	}
	if len(rows["pull_request"]) == 0 || len(rows["transition"]) == 0 {
		w.t.Error("there are no rows to compare: this proves nothing")
	}
	return rows
}
