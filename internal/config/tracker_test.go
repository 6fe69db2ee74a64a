package config_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/config"
	"pawl/internal/links"
	"pawl/internal/provider"
)

const tracked = `sources:
  - {name: absent, provider: github, secrets: ["env:S"]}
  - {name: nothing, provider: github, secrets: ["env:S"], tracker_keys: null}
  - {name: off, provider: github, secrets: ["env:S"], tracker_keys: ""}
  - name: named
    provider: github
    secrets: ["env:S"]
    tracker_keys: '(ENG|OPS)-\d+'
`

func TestTrackerKeys_AbsentIsNotEmpty(t *testing.T) {
	t.Parallel()
	made, err := config.Parse("p.yaml", []byte(tracked), nothing)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"off": "", "named": `(ENG|OPS)-\d+`}
	if diff := cmp.Diff(made.TrackerKeys(), want); diff != "" {
		t.Errorf("TrackerKeys() (-got +want):\n%s", diff)
	}
	if _, err := links.NewFinder(made.TrackerKeys()); err != nil {
		t.Errorf("what was loaded cannot be used: %v", err)
	}
	// What is printed says the same.
	printed, err := made.Print()
	if err != nil {
		t.Fatal(err)
	}
	again, err := config.Parse("printed.yaml", printed, nothing)
	if err != nil {
		t.Fatalf("%v:\n%s", err, printed)
	}
	if diff := cmp.Diff(again.TrackerKeys(), want); diff != "" {
		t.Errorf("TrackerKeys() of what was printed (-got +want):\n%s\n%s", diff, printed)
	}
}

func TestTrackerKeys_FaultsAreToldAtTheirPlaces(t *testing.T) {
	t.Parallel()
	const bad = `sources:
  - {name: a, provider: github, secrets: ["env:S"], tracker_keys: "ENG-("}
  - name: b
    provider: github
    secrets: ["env:S"]
    tracker_keys: "(ENG-1)?"
  - {name: c, provider: github, secrets: ["env:S"], tracker_keys: 7}
`
	_, err := config.Parse("p.yaml", []byte(bad), nothing)
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{
		"p.yaml:2:67: sources[0].tracker_keys: ", "missing closing )",
		"p.yaml:6:19: sources[1].tracker_keys: ", "matches the empty text",
		"p.yaml:7:67: sources[2].tracker_keys is 7, want a regular expression",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
}

// TestProviders_AreThoseOfTheRegistry: the editors' schema, the check of a
// configuration and the program know the same providers.
func TestProviders_AreThoseOfTheRegistry(t *testing.T) {
	t.Parallel()
	var schema struct {
		Properties struct {
			Sources struct {
				Items struct {
					Properties struct {
						Provider struct{ Enum []string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, "../../schemas/pawl.v1.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(slices.Values(provider.Names()))
	if diff := cmp.Diff(schema.Properties.Sources.Items.Properties.Provider.Enum, names); diff != "" {
		t.Errorf("providers (-schema +registry):\n%s", diff)
	}
	for _, name := range names {
		text := `sources: [{name: a, provider: ` + name + `, secrets: ["env:S"]}]`
		if _, err := config.Parse("p.yaml", []byte(text), nothing); err != nil {
			t.Errorf("provider %s: %v", name, err)
		}
	}
}
