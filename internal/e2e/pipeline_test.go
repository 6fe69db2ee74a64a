package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pawl/internal/fakegithub"
)

// pipelineRules react to what Pawl does too: a label that Pawl adds may be the
// first news of one that a person added.
var pipelineRules = ruleSet{listens: []string{"opened", "labels_changed", "head_changed", "merged"}, yaml: `rules:
  - name: seen
    on: [opened]
    once: entity
    mutate: {add_labels: [seen]}
  - name: merge-on-label
    on: [opened, labels_changed, head_changed]
    include_own: true
    when: pr.state == "open" && "automerge" in pr.labels
    once: head
    mutate: {merge: {method: squash}}
  - name: say-merged
    on: [merged]
    include_own: true
    once: entity
    mutate: {comment: {body: "Merged as {{pr.merge_commit_sha}}"}}
`}

const lives = 100

// live lets pull requests live at the provider: opened, pushed to, labeled; a
// person merges most of them, and Pawl is to merge each fifth.
func live(github *fakegithub.Server) []int {
	var numbers []int
	for n := range lives {
		number := github.Open(repository, fakegithub.PullRequest{Author: "ann"})
		numbers = append(numbers, number)
		label := "area/api"
		if n%5 == 0 {
			label = "automerge"
		}
		github.Label(repository, number, "bob", label)
		github.Push(repository, number, "ann", fmt.Sprintf("%040x", 0xf000+number))
		if n%5 != 0 {
			github.Merge(repository, number, "cat")
		}
	}
	return numbers
}

// shuffledAndDoubled is how the deliveries arrive: in any order, each twice.
func shuffledAndDoubled(hooks []fakegithub.Webhook, seed uint64) []fakegithub.Webhook {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same order each time
	arrived := slices.Concat(hooks, hooks)
	random.Shuffle(len(arrived), func(a, b int) { arrived[a], arrived[b] = arrived[b], arrived[a] })
	return arrived
}

func TestPipeline_ProjectorKilledAndBrokerRestarted(t *testing.T) {
	t.Parallel()
	onEachBroker(t, func(t *testing.T, b broker) { //nolint:thelper // a test, not a helper
		w := newWorld(t, b, pipelineRules)
		numbers := live(w.github)
		arrived := shuffledAndDoubled(w.lived(), 1)
		ingest := w.start("ingest 1", "ingest")
		projector := w.start("projector 1", "projector")
		w.start("projector 2", "projector")
		actuator := w.start("actuator 1", "actuator")
		go w.forward()

		quarters := slices.Collect(slices.Chunk(arrived, len(arrived)/4))
		w.postAround(quarters[0], func() {
			projector.kill()
			w.start("projector 3", "projector")
		})
		w.postAround(quarters[1], func() {
			crash(b)
			b.Restart()
		})
		comment := w.holdComment()
		w.postAround(quarters[2], func() {
			comment.wait()
			actuator.kill()
			comment.release()
			w.start("actuator 2", "actuator")
			w.expireLeases(actuator)
		})
		w.postAround(quarters[3], func() {
			ingest.kill()
			w.start("ingest 2", "ingest")
		})

		eventually(t, 120*time.Second, "everything is settled", w.unsettled)
		w.checkLog()
		w.checkRows(numbers)
		w.checkTransitions()
		w.checkEffects()
		w.checkAllMergedAndSaid(numbers)
	})
}

// checkAllMergedAndSaid asks the provider for the end of each life: merged, by
// Pawl where it was asked to, with one comment of ours.
func (w *world) checkAllMergedAndSaid(numbers []int) {
	w.t.Helper()
	effects := w.effects()
	for _, number := range numbers {
		pr := w.github.PullRequest(repository, number)
		if !pr.Merged {
			w.t.Errorf("#%d is not merged", number)
		}
		if got := effects[effect{number, "comment"}]; got != 1 {
			w.t.Errorf("#%d has %d comments of ours, want 1", number, got)
		}
		want := 0
		if slices.Contains(pr.Labels, "automerge") {
			want = 1
		}
		if got := effects[effect{number, "merge"}]; got != want {
			w.t.Errorf("#%d: Pawl merged it %d times, want %d", number, got, want)
		}
	}
}
