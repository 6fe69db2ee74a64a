package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"pawl/internal/kafkatest"
	"pawl/internal/pgtest"
	"pawl/internal/provider"
	"pawl/schemas"
)

// mixedSizes are the sizes of real bodies, in bytes, around those of the load.
var mixedSizes = map[string][2]int{
	"check_run": {9_000, 14_000}, "check_suite": {8_000, 12_000}, "status": {8_000, 12_500}, "workflow_run": {16_000, 22_500},
	"pull_request": {10_000, 25_600}, "pull_request_review": {20_000, 30_000}, "issue_comment": {10_000, 16_500},
	"pull_request_review_comment": {20_000, 31_000},
}

func TestMixed_DecodesAndIsOfRealSizes(t *testing.T) {
	t.Parallel()
	github, ok := provider.ByName("github")
	if !ok {
		t.Fatal("no provider github")
	}
	for record := range mixed(20 * len(mixedLife)) {
		if size, want := len(record.Body), mixedSizes[record.Event]; size < want[0] || size > want[1] {
			t.Fatalf("body of %s has %d bytes, want %d to %d", record.Event, size, want[0], want[1])
		}
		header := http.Header{"X-Github-Event": {record.Event}, "X-Github-Delivery": {string(record.ID)}, "Content-Type": {"application/json"}}
		sealed, err := github.Seal(provider.Delivery{
			Source: "github", Instance: "github.com", ContentType: "application/json", Header: header, Raw: record.Body, ReceivedAt: record.ReceivedAt,
		})
		if err != nil {
			t.Fatal(err)
		}
		if sealed.Key != record.Key || sealed.Subject != record.Subject || sealed.Action != record.Action {
			t.Fatalf("%s is %s, %s, %s, and the edge would say %s, %s, %s", record.Event,
				record.Key, record.Subject, record.Action, sealed.Key, sealed.Subject, sealed.Action)
		}
		event, err := provider.Decode(record)
		if err != nil {
			t.Fatal(err)
		}
		if event.Ignored != "" || event.Entity != record.Key {
			t.Fatalf("%s is of %s and ignored for %q, want of %s and folded", record.Event, event.Entity, event.Ignored, record.Key)
		}
	}
}

func TestMixed_HalfAreChecksAndAQuarterOfThoseOfForks(t *testing.T) {
	t.Parallel()
	const prs = 400
	heads := make(map[schemas.EntityKey]bool)
	var all, checks, forks, ofHeads int
	for record := range mixed(prs * len(mixedLife)) {
		event, err := provider.Decode(record)
		if err != nil {
			t.Fatal(err)
		}
		if event.PullRequest != nil {
			heads[event.PullRequest.HeadCommit.Value] = true
		}
	}
	for record := range mixed(prs * len(mixedLife)) {
		all++
		event, err := provider.Decode(record)
		if err != nil {
			t.Fatal(err)
		}
		if event.Check == nil {
			continue
		}
		checks++
		if ofFork(t, record) {
			forks++
		}
		if heads[event.Entity] {
			ofHeads++
		}
	}
	if all != prs*len(mixedLife) || checks != all/2 || forks != checks/4 || ofHeads != checks/2 {
		t.Errorf("%d deliveries, %d checks, %d of forks, %d of heads, want a half, a quarter and a half", all, checks, forks, ofHeads)
	}
}

// ofFork reports whether a check event names no branch.
func ofFork(t *testing.T, record schemas.Record) bool {
	t.Helper()
	type branch struct {
		HeadBranch *string `json:"head_branch"`
	}
	var said struct {
		CheckRun struct {
			CheckSuite branch `json:"check_suite"`
		} `json:"check_run"`
		CheckSuite  branch `json:"check_suite"`
		WorkflowRun branch `json:"workflow_run"`
		Branches    []any  `json:"branches"`
	}
	if err := json.Unmarshal(record.Body, &said); err != nil {
		t.Fatal(err)
	}
	switch record.Event {
	case "check_run":
		return said.CheckRun.CheckSuite.HeadBranch == nil
	case "check_suite":
		return said.CheckSuite.HeadBranch == nil
	case "workflow_run":
		return said.WorkflowRun.HeadBranch == nil
	}
	return len(said.Branches) == 0
}

// TestMixed_NaiveEndsWhereTheProjectorEnds runs what the section runs, on one
// connection and on eight.
func TestMixed_NaiveEndsWhereTheProjectorEnds(t *testing.T) {
	t.Parallel()
	broker, url := kafkatest.Start(t), pgtest.New(t)
	deliveries := 50 * len(mixedLife)
	if err := fill(t.Context(), broker.Client(), broker.Topics().Deliveries, mixed(deliveries)); err != nil {
		t.Fatal(err)
	}
	pool := pgtest.Pool(t, url)
	foldAll(t, broker, pool, int64(deliveries))
	run := &mixedRun{pool: pool, url: url}
	for _, workers := range []int{1, 8} {
		_, ends, err := run.naive(t.Context(), deliveries, workers)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.compare(t.Context(), ends); err != nil {
			t.Errorf("on %d connections:\n%v", workers, err)
		}
		if got := statesOf(ends); !slices.Equal(got, []string{"failure", "none", "pending", "success"}) {
			t.Errorf("the pull requests ended with checks %v, want all four states", got)
		}
	}
}

func statesOf(ends map[string]mixedEnd) []string {
	var states []string
	for _, end := range ends {
		states = append(states, end.ChecksState)
	}
	slices.Sort(states)
	return slices.Compact(states)
}

func TestSameEnds_TellsARowThatDiffersOrIsMissing(t *testing.T) {
	t.Parallel()
	end := mixedEnd{State: "open", HeadSHA: "aaaa", ChecksState: "success"}
	other := end
	other.ChecksState = "pending"
	if err := sameEnds(map[string]mixedEnd{"1#1": end, "1#2": end}, map[string]mixedEnd{"1#1": end}); err != nil {
		t.Errorf("sameEnds() = %v, want nil", err)
	}
	if err := sameEnds(map[string]mixedEnd{"1#1": other}, map[string]mixedEnd{"1#1": end}); err == nil {
		t.Error("sameEnds() = nil for other checks, want an error")
	}
	if err := sameEnds(nil, map[string]mixedEnd{"1#1": end}); err == nil {
		t.Error("sameEnds() = nil for a row that is not there, want an error")
	}
}
