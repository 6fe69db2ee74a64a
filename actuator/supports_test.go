package actuator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/schemas"
)

func TestSupports_WhatEachProviderLacks(t *testing.T) {
	t.Parallel()
	want := map[string][]schemas.MutationKind{
		"github": nil,
		"gitlab": {schemas.MutateUpdateBranch, schemas.MutateDismissReview, schemas.MutateCheckRun},
		"gitea":  {schemas.MutateCheckRun},
	}
	for provider, lacks := range want {
		var got []schemas.MutationKind
		for _, kind := range schemas.MutationKinds() {
			if !actuator.Supports(provider)(kind) {
				got = append(got, kind)
			}
		}
		if diff := cmp.Diff(sorted(lacks), sorted(got)); diff != "" {
			t.Errorf("%s lacks (-want +got):\n%s", provider, diff)
		}
	}
}

func sorted(kinds []schemas.MutationKind) map[schemas.MutationKind]bool {
	set := make(map[schemas.MutationKind]bool)
	for _, kind := range kinds {
		set[kind] = true
	}
	return set
}

// TestSupports_ToNotifyNeedsNoProvider: there is none for a status page.
func TestSupports_ToNotifyNeedsNoProvider(t *testing.T) {
	t.Parallel()
	for _, kind := range schemas.MutationKinds() {
		if got, want := actuator.Supports("statuspage")(kind), kind == schemas.MutateNotify; got != want {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}
	if actuator.Supports("github")("dance") {
		t.Error("a kind that nobody knows is supported")
	}
}
