package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"pawl/internal/fakegithub"
)

// Two rules may merge the same pull request: they are two mutations under two
// keys, and only the look before each act makes of them one merge.
var twoMerges = ruleSet{listens: []string{"opened", "labels_changed", "head_changed"}, yaml: `rules:
  - name: merge-on-label
    on: [labels_changed]
    when: pr.state == "open" && "automerge" in pr.labels
    once: head
    mutate: {merge: {method: squash}}
  - name: merge-on-push
    on: [head_changed]
    when: pr.state == "open"
    once: head
    mutate: {merge: {method: squash}}
  - name: welcome
    on: [opened]
    once: entity
    mutate: {comment: {body: "Welcome"}}
`}

func TestCase20_TwoEventsOneMerge(t *testing.T) {
	t.Parallel()
	onEachBroker(t, func(t *testing.T, b broker) { //nolint:thelper // a test, not a helper
		w := newWorld(t, b, twoMerges)
		w.start("ingest", "ingest")
		w.start("projector", "projector")
		w.start("actuator 1", "actuator")
		w.start("actuator 2", "actuator")
		contested := w.github.Open(repository, fakegithub.PullRequest{Author: "ann"})
		w.post(w.lived())
		eventually(t, 30*time.Second, "the welcome is written", func() error { return w.commented(contested) })

		// The first merge hangs at the provider while the second event is there.
		merge := w.hold(fakegithub.Fault{Method: http.MethodPut, Path: "/merge"})
		w.lived() // of our own comment
		w.github.Push(repository, contested, "ann", fmt.Sprintf("%040x", 0xf001))
		w.github.Label(repository, contested, "bob", "automerge")
		w.post(w.lived())
		merge.wait()
		other := w.github.Open(repository, fakegithub.PullRequest{Author: "cat"})
		w.post(w.lived())
		eventually(t, 20*time.Second, "another pull request is served meanwhile", func() error { return w.commented(other) })
		if w.github.PullRequest(repository, contested).Merged {
			t.Fatal("merged while the merge was held: the fault did not hold it")
		}

		merge.release()
		go w.forward()
		eventually(t, 60*time.Second, "everything is settled", w.unsettled)
		if got := w.effects()[effect{contested, "merge"}]; got != 1 {
			t.Errorf("merged %d times, want 1", got)
		}
		w.checkOneMergeTried(contested)
		w.checkRows([]int{contested, other})
	})
}

func (w *world) commented(number int) error {
	if got := len(w.github.Comments(repository, number)); got != 1 {
		return fmt.Errorf("#%d has %d comments, want 1", number, got)
	}
	return nil
}

// checkOneMergeTried counts the calls: the second mutation must find out by
// looking, not by a merge that the provider refuses.
func (w *world) checkOneMergeTried(number int) {
	w.t.Helper()
	path, tried := fmt.Sprintf("/repos/%s/pulls/%d/merge", repository, number), 0
	for _, call := range w.github.Calls() {
		if call.Method == http.MethodPut && call.Path == path {
			tried++
		}
	}
	if tried != 1 {
		w.t.Errorf("%d merges were tried, want 1", tried)
	}
	states := counts[string, string](w.t, w.pool, `select rule, state from pawl.mutation where kind = 'merge'`)
	if len(states) != 2 {
		w.t.Errorf("mutations %v, want one of each rule", states)
	}
}
