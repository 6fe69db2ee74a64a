package rules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// reference is docs/rules.md.
func reference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReference_ItsExamplesAreRules(t *testing.T) {
	t.Parallel()
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(reference(t), -1)
	if len(examples) < 4 {
		t.Fatalf("%d examples", len(examples))
	}
	for i, example := range examples {
		t.Run(fmt.Sprintf("example %d", i+1), func(t *testing.T) {
			t.Parallel()
			if got := parse(t, example[1]).Rules(); len(got) == 0 {
				t.Error("an example without a rule")
			}
		})
	}
}

// TestReference_ItsFaultsAreReal: the faults it shows are those of its first
// example with the slips they name.
func TestReference_ItsFaultsAreReal(t *testing.T) {
	t.Parallel()
	text := reference(t)
	_, rest, _ := strings.Cut(text, "```yaml\n")
	example, rest, _ := strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "```text\n")
	want, _, _ := strings.Cut(rest, "\n```")
	example = strings.NewReplacer("pr.state ==", "pr.aprovals ==", "squash", "squsah").Replace(example)
	_, err := rules.Parse("pawl.yaml", []byte(example))
	if err == nil {
		t.Fatal("no fault")
	}
	if diff := cmp.Diff(err.Error(), want); diff != "" {
		t.Errorf("-got +docs:\n%s", diff)
	}
}

func TestReference_ItsConditionsCompile(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(reference(t), "Beside [CEL's own functions]")
	table, _, _ = strings.Cut(table, "## Mutations")
	conditions := regexp.MustCompile("(?m)^\\| `(.*)` \\|").FindAllStringSubmatch(table, -1)
	if len(conditions) < 5 {
		t.Fatalf("%d conditions", len(conditions))
	}
	for _, condition := range conditions {
		text := strings.ReplaceAll(condition[1], `\|`, "|")
		parse(t, "rules:\n  - name: x\n    on: [comment_created]\n    when: |\n      "+text+"\n    mutate: {close: true}\n")
	}
}

func TestReference_NamesEverything(t *testing.T) {
	t.Parallel()
	templates, err := rules.NewTemplates()
	if err != nil {
		t.Fatal(err)
	}
	text := reference(t)
	var missing []string
	want := func(name string) {
		if !strings.Contains(text, "`"+name+"`") {
			missing = append(missing, name)
		}
	}
	for _, kind := range schemas.Kinds() {
		want(string(kind))
	}
	for _, kind := range schemas.MutationKinds() {
		want(string(kind))
	}
	for kind, keys := range mutationKeys(t) {
		for _, key := range keys {
			row := regexp.MustCompile("(?m)^\\| [^|]*`" + kind + "`[^|]* \\|.*\\b" + key + "\\b.*$")
			if !row.MatchString(text) {
				missing = append(missing, kind+"."+key)
			}
		}
	}
	prefix := map[string]string{"cause": "cause.", "sender": "cause.sender."}
	for variable, names := range templates.VariableNames() {
		if len(names) == 0 {
			t.Errorf("no fields of %s", variable)
		}
		for _, name := range names {
			if name != "cause" && name != "sender" {
				want(prefix[variable] + name)
			}
		}
	}
	for _, names := range [][]string{
		rules.Variables(), rules.RuleKeys(),
		{"version", "mode", "conditions", "limits", "rules", "per_rule", "per_entity"},
		{string(rules.RefusalCancels), string(rules.RefusalWaits), string(rules.RefusalGoesOn)},
	} {
		for _, name := range names {
			want(name)
		}
	}
	if missing != nil {
		t.Errorf("docs/rules.md says nothing of %v", missing)
	}
}

func TestKinds_EachHasAChecker(t *testing.T) {
	t.Parallel()
	got, want := rules.KindsWithChecker(), schemas.MutationKinds()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

// mutationKeys are the parameters of each kind, as the editors' schema has them.
func mutationKeys(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("../../schemas/pawl.v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	defs := schema["$defs"].(map[string]any)
	found := make(map[string][]string)
	for kind, of := range defs["mutations"].(map[string]any)["properties"].(map[string]any) {
		found[kind] = propertiesOf(of, defs)
	}
	return found
}

func propertiesOf(of any, defs map[string]any) []string {
	schema, _ := of.(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	properties, _ := schema["properties"].(map[string]any)
	found := slices.Sorted(maps.Keys(properties))
	for _, choices := range []string{"anyOf", "oneOf"} {
		list, _ := schema[choices].([]any)
		for _, choice := range list {
			found = append(found, propertiesOf(choice, defs)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestSchema_KnowsWhatRulesKnow: an editor takes and refuses the keys that the
// program does.
func TestSchema_KnowsWhatRulesKnow(t *testing.T) {
	t.Parallel()
	keys := mutationKeys(t)
	for _, kind := range schemas.MutationKinds() {
		got, ok := keys[string(kind)]
		if !ok {
			t.Errorf("the schema does not know %s", kind)
		}
		_, err := rules.Parse("pawl.yaml", []byte("rules: [{name: x, on: [comment_created], mutate: {"+string(kind)+": {zzz: 1}}}]"))
		if err == nil {
			t.Fatalf("%s takes any key", kind)
		}
		_, known, _ := strings.Cut(err.Error(), `unknown key "zzz", known: `)
		known, _, _ = strings.Cut(known, "\n")
		var want []string
		if known != "" {
			want = strings.Split(known, ", ")
		}
		slices.Sort(want)
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("keys of %s, -schema +program:\n%s", kind, diff)
		}
	}
}
