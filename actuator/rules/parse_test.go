package rules_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"pawl/actuator/rules"
	"pawl/schemas"
)

var update = flag.Bool("update", false, "write the golden files")

// parse reads rules that have no fault.
func parse(tb testing.TB, text string) *rules.Set {
	tb.Helper()
	set, err := rules.Parse("pawl.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

func TestParse_ReportsEveryFaultAtItsPlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d golden files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := archive.Files[0].Name; got != "pawl.yaml" {
				t.Fatalf("the first file is %s", got)
			}
			_, err = rules.Parse("pawl.yaml", archive.Files[0].Data)
			var faults *rules.FaultsError
			if !errors.As(err, &faults) {
				t.Fatalf("error %v, want faults", err)
			}
			got := faults.Error() + "\n"
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("no file want; run with -update and read what it writes")
			}
			if diff := cmp.Diff(got, string(archive.Files[1].Data)); diff != "" {
				t.Errorf("-got +want:\n%s", diff)
			}
		})
	}
}

func TestParse_FaultsAreTyped(t *testing.T) {
	t.Parallel()
	_, err := rules.Parse("etc/pawl.yaml", []byte("mode: acd\nversion: 3\n"))
	var faults *rules.FaultsError
	if !errors.As(err, &faults) {
		t.Fatalf("error %v, want faults", err)
	}
	want := []rules.Fault{
		{File: "etc/pawl.yaml", Line: 1, Column: 7, Message: `mode: unknown value "acd", did you mean "act"?`},
		{File: "etc/pawl.yaml", Line: 2, Column: 10, Message: "version must be 1"},
	}
	if diff := cmp.Diff(faults.Faults, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestParse_LeavesOtherSectionsAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text string }{
		{"nothing", ""},
		{"a comment", "# rules will come\n"},
		{"null", "~\n"},
		{"empty sections", "version: 1\nrules:\nproviders:\n"},
		{"no rules", "rules: []\n"},
		{"sources", "version: 1\nsources: [{name: github, provider: 7}]\nkafka: {brokers: [x]}\nunheard_of: true\n"},
		{"providers of another shape", "providers: [github.com]\n"},
		{"a provider of another shape", "providers: {github.com: x, gitlab.com: {token: 5}}\n"},
		{"a document marker", "---\nmode: act\n"},
		{"carriage returns", "version: 1\r\nmode: act\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := parse(t, test.text)
			if got := set.Rules(); len(got) != 0 {
				t.Errorf("rules %v, want none", got)
			}
			if got, want := set.Mode, rules.ModeAct; got != want {
				t.Errorf("mode %s, want %s", got, want)
			}
		})
	}
}

func TestParse_DescribesTheRules(t *testing.T) {
	t.Parallel()
	set := parse(t, `
mode: plan
rules:
  - name: first
    on: [labels_changed, opened]
    when: |
      pr.state == "open" &&
      !pr.draft
    once: head
    mutate:
      merge: {method: squash}
      close:
  - name: second
    on: [merged]
    include_own: true
    mutate:
      - add_labels: [a]
      - remove_labels: {labels: [b]}
      - comment: {body: x}
`)
	want := []rules.Info{
		{
			Name: "first", On: []schemas.Kind{schemas.KindLabelsChanged, schemas.KindOpened},
			When: "pr.state == \"open\" &&\n!pr.draft", Once: rules.OnceHead, OnRefusal: rules.RefusalCancels,
			Mutations: []schemas.MutationKind{schemas.MutateMerge, schemas.MutateClose},
		},
		{
			Name: "second", On: []schemas.Kind{schemas.KindMerged}, Once: rules.OnceTransition, OnRefusal: rules.RefusalCancels, IncludeOwn: true,
			Mutations: []schemas.MutationKind{schemas.MutateAddLabels, schemas.MutateRemoveLabels, schemas.MutateComment},
		},
	}
	if diff := cmp.Diff(set.Rules(), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	if set.Mode != rules.ModePlan {
		t.Errorf("mode %s, want plan", set.Mode)
	}
}

// TestParse_TakesWhatRulesAskFor: conditions that people write must not be
// refused as too dear or of another type.
func TestParse_TakesWhatRulesAskFor(t *testing.T) {
	t.Parallel()
	for _, condition := range []string{
		`true`,
		`comment.body.split("\n").exists(l, l.trim().lowerAscii() == "/merge")`,
		`pr.body.replace("a", "b").contains("c") || "%s %s".format([pr.body, transition.to]).contains("x")`,
		`dyn(pr).title.contains("x")`, // of which no cost can be estimated
		`pr.body.contains("fixes") || pr.body.matches("(?i)(fix(es|ed)?|close[sd]?) #[0-9]+")`,
		`pr.labels.exists(l, l.matches("^size/(XS|S|M|L|XL)$")) && pr.labels.all(l, !l.startsWith("do-not"))`,
		`sets.intersects(pr.labels, ["wip", "hold"]) && sets.contains(transition.to, ["x"])`,
		`pr.labels.exists(a, pr.requested_reviewers.exists(b, a == b))`,
		`pr.labels.filter(l, l.startsWith("team/")).map(l, l.substring(5)).exists(l, l == pr.author)`,
		`pr.title.lowerAscii().split(" ").exists(w, w == "wip")`,
		`transition.to.exists(l, l == "x")`,
		`transition.from == "open" && transition.to != null`,
		`has(comment.body) && comment.body.startsWith("/merge")`,
		`comment == null || comment.author == "x"`,
		`pr.merged_at != null && pr.merged_at - pr.created_at < duration("24h")`,
		`pr.created_at.getFullYear() >= 2026`,
		`"%s#%d".format([pr.repository, pr.number]) == "acme/api#7"`,
		`transition.cause.sender.login == pr.author && !transition.cause.sender.is_bot`,
		`pr.author in ["alice", "bob"] ? pr.approvals > 0 : pr.approvals > 1`,
		`checks["build"] == "success" && checks.all(name, checks[name] != "failure")`,
		`["build", "lint"].all(name, checks[name] == "success")`,
		`reviews.exists(r, r.state == "approved" && r.author != pr.author)`,
		`links.exists(l, l.startsWith("ENG-")) && !actor.is_bot && actor.login != pr.author`,
		`{"main": 2}["main"] <= pr.approvals`, // a map may be asked, if not looped over
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			parse(t, "rules:\n  - name: x\n    on: [opened, comment_created]\n    when: |\n      "+condition+"\n    mutate: {close: true}\n")
		})
	}
}

func TestHash_IsOfTheMeaning(t *testing.T) {
	t.Parallel()
	base := "rules:\n  - name: x\n    on: [opened, closed]\n    when: pr.draft\n    mutate: {comment: {body: a}}\n"
	first := parse(t, base).Hash
	if len(first) != 12 {
		t.Errorf("hash %q, want 12 digits", first)
	}
	for _, test := range []struct {
		name, text string
		same       bool
	}{
		{"again", base, true},
		{"layout and comments", "# why\nmode: plan\nrules: [{mutate: [comment: {body: a}], on: [closed, opened], once: transition, name: x, when: ' pr.draft'}]\n", true},
		{"another condition", strings.Replace(base, "pr.draft", "pr.locked", 1), false},
		{"another name", strings.Replace(base, "name: x", "name: y", 1), false},
		{"another kind of transition", strings.Replace(base, "closed", "merged", 1), false},
		{"another text", strings.Replace(base, "body: a", "body: b", 1), false},
		{"another mutation", strings.Replace(base, "{comment: {body: a}}", "{close: true}", 1), false},
		{"another scope", base + "    once: entity\n", false},
		{"own echo", base + "    include_own: true\n", false},
		{"a scope by an expression", base + "    once: pr.milestone\n", false},
		{"a delay", base + "    after: 1h\n", false},
		{"a filter", base + "    repositories: [acme/*]\n", false},
		{"another filter", base + "    except: [acme/*]\n", false},
		{"a refusal", base + "    on_refusal: wait\n", false},
		{"limits", base + "limits: {per_rule: 5}\n", false},
		{"a condition", base + "conditions: {green: pr.draft}\n", false},
		{"a parameter", strings.Replace(base, "body: a", "body: a, sticky: b", 1), false},
		{"defaults", base + "    once: transition\n    on_refusal: cancel\n    include_own: false\nlimits: {per_rule: 20, per_entity: 60}\n", true},
		{"one rule more", base + "  - {name: y, on: [opened], mutate: {close: true}}\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, test.text).Hash; (got == first) != test.same {
				t.Errorf("hash %s beside %s, want same: %t", got, first, test.same)
			}
		})
	}
}

func TestParse_CarriageReturnsAreNoColumns(t *testing.T) {
	t.Parallel()
	text := "rules:\n  - name: x\n    on: [opened]\n    when: |\n      pr.draft &&\n      pr.nothing\n    mutate: {close: true}\n"
	_, unix := rules.Parse("pawl.yaml", []byte(text))
	_, dos := rules.Parse("pawl.yaml", []byte(strings.ReplaceAll(text, "\n", "\r\n")))
	if unix == nil || dos == nil {
		t.Fatal("no fault")
	}
	if diff := cmp.Diff(dos.Error(), unix.Error()); diff != "" {
		t.Errorf("-dos +unix:\n%s", diff)
	}
}

func TestParse_TakesAnchorsAndTags(t *testing.T) {
	t.Parallel()
	set := parse(t, `
x-rules:
  green: &green pr.draft
  on: &on [opened]
rules:
  - {name: a, on: *on, when: !!str pr.draft, mutate: &m {close: true}}
  - {name: b, on: *on, when: *green, mutate: *m}
`)
	if got, want := set.Rules()[1].When, "pr.draft"; got != want {
		t.Errorf("when %s, want %s", got, want)
	}
}

func TestWords_AreValid(t *testing.T) {
	t.Parallel()
	for word, got := range map[string]bool{
		"act": rules.ModeAct.Valid(), "plan": rules.ModePlan.Valid(), "transition": rules.OnceTransition.Valid(),
		"head": rules.OnceHead.Valid(), "entity": rules.OnceEntity.Valid(),
	} {
		if !got {
			t.Errorf("%s is not valid", word)
		}
	}
	for _, word := range []rules.OnRefusal{rules.RefusalCancels, rules.RefusalWaits, rules.RefusalGoesOn} {
		if !word.Valid() {
			t.Errorf("%s is not valid", word)
		}
	}
	if rules.Mode("").Valid() || rules.Once("pr.number").Valid() || rules.OnRefusal("").Valid() {
		t.Error("nothing is valid")
	}
}
