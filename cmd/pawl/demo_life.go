package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pawl/internal/fakegithub"
)

const demoRepository = "acme/api"

// live lets three pull requests live at the provider, and keeps the deliveries
// that it makes of that.
func (d *demo) live() {
	g := d.github
	g.AddRepository(101, demoRepository)
	first := g.Open(demoRepository, fakegithub.PullRequest{Title: "Retry uploads", Author: "ann", HeadSHA: "a1", HeadRef: "retry", BaseRef: "main"})
	second := g.Open(demoRepository, fakegithub.PullRequest{Title: "Drop the cache", Author: "bob", HeadSHA: "b1", HeadRef: "cache", BaseRef: "main"})
	g.Push(demoRepository, first, "ann", "a2")
	g.Label(demoRepository, first, "ann", "area/upload")
	g.Close(demoRepository, second, "bob")
	g.Reopen(demoRepository, second, "bob")
	g.Push(demoRepository, second, "bob", "b2")
	g.Merge(demoRepository, first, "ann")
	third := g.Open(demoRepository, fakegithub.PullRequest{Title: "Fix the clock", Author: "cat", HeadSHA: "c1", HeadRef: "clock", BaseRef: "main"})
	g.Label(demoRepository, third, "cat", "automerge")
	for len(d.hooks) > 0 {
		d.lived = append(d.lived, <-d.hooks)
	}
	d.arrived = shuffledAndDoubled(d.lived)
}

// shuffledAndDoubled returns the deliveries in another order, each twice. Of all
// orders it takes one that misleads a last-write-wins handler about the first two
// pull requests: a quarter of them do.
func shuffledAndDoubled(lived []fakegithub.Webhook) []fakegithub.Webhook {
	truth := lastWriteWins(lived)
	for seed := uint64(1); ; seed++ {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same order each time
		arrived := slices.Concat(lived, lived)
		random.Shuffle(len(arrived), func(a, b int) { arrived[a], arrived[b] = arrived[b], arrived[a] })
		got := lastWriteWins(arrived)
		if got[1].state != truth[1].state && got[2].state != truth[2].state {
			return arrived
		}
	}
}

// shown is what a row says, as far as the demo shows it.
type shown struct{ state, head, labels string }

// String returns the three in one line.
func (s shown) String() string {
	return strings.TrimSpace(fmt.Sprintf("%-6s %s %s", s.state, s.head, s.labels))
}

// lastWriteWins is the handler that most begin with: each delivery overwrites
// the row.
func lastWriteWins(hooks []fakegithub.Webhook) map[int]shown {
	rows := make(map[int]shown)
	for _, hook := range hooks {
		if number, row, ok := readHook(hook); ok {
			rows[number] = row
		}
	}
	return rows
}

func readHook(hook fakegithub.Webhook) (int, shown, bool) {
	var body struct {
		Number      int `json:"number"`
		PullRequest *struct {
			State  string                  `json:"state"`
			Merged bool                    `json:"merged"`
			Head   struct{ SHA string }    `json:"head"`
			Labels []struct{ Name string } `json:"labels"`
		} `json:"pull_request"`
	}
	if json.Unmarshal(hook.Body, &body) != nil || body.PullRequest == nil {
		return 0, shown{}, false
	}
	row := shown{state: body.PullRequest.State, head: body.PullRequest.Head.SHA}
	if body.PullRequest.Merged {
		row.state = "merged"
	}
	var labels []string
	for _, label := range body.PullRequest.Labels {
		labels = append(labels, label.Name)
	}
	row.labels = strings.Join(labels, ",")
	return body.Number, row, true
}

// naiveActs counts what a handler that acts on each delivery would have done.
func naiveActs(hooks []fakegithub.Webhook) (merges, comments int) {
	for _, hook := range hooks {
		_, row, _ := readHook(hook)
		switch {
		case hook.Action == "labeled" && row.labels == "automerge":
			merges++
		case hook.Action == "closed" && row.state == "merged":
			comments++
		}
	}
	return merges, comments
}
