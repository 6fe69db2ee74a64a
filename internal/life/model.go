package life

import (
	"crypto/sha1" //nolint:gosec // the names of commits
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"pawl/schemas"
)

// Number is the number of the pull request of every life.
const Number = 7

// author opened the pull request. People are those who review and are assigned.
const author = "dan"

//nolint:gochecknoglobals // constant tables; Go has no constant arrays
var (
	people     = []string{"ann", "bea", "cyd"}
	labelNames = []string{"automerge", "bug", "wip"}
	branches   = []string{"dev", "main", "next"}
	milestones = []string{"1.0", "2.0"}
)

// Pick chooses a number below n. A life is the same for the same choices.
type Pick func(n int) int

func (p Pick) of(list []string) string { return list[p(len(list))] }

// forge is what one provider makes of a change.
type forge interface {
	// steps are what can happen to a pull request at this provider.
	steps() []step
	// moves reports whether a change moves the pull request's updated_at.
	moves(change) bool
	// tell sends the deliveries of a change.
	tell(change)
	// columns are those of the row that a snapshot of now states.
	columns() schemas.PullRequest
	// count sets the counts of comments as they are now.
	count(row *schemas.PullRequest)
	// unstated are the fields of columns that not every snapshot states.
	unstated() []string
	// shas is the length to which the provider cuts commits.
	shas() int
}

// step is something that can happen. It reports whether it could. Steps of one
// group tell on one another.
type step struct {
	group, name string
	do          func(Pick) bool
}

// change is something that happened, with what is needed to tell of it.
type change struct {
	what    what
	name    string // the label, the person, the milestone, the reason
	before  string // the title, the text, the base or the head as it was
	comment *comment
	review  *review
	thread  *thread
}

// what happened is one of these. A forge handles those that it knows.
type what = string

const (
	opened           what = "opened"
	pushed           what = "pushed"
	labeled          what = "labeled"
	unlabeled        what = "unlabeled"
	assigned         what = "assigned"
	unassigned       what = "unassigned"
	milestoned       what = "milestoned"
	demilestoned     what = "demilestoned"
	asked            what = "asked for a review"
	unasked          what = "no longer asked for a review"
	retitled         what = "retitled"
	described        what = "described"
	retargeted       what = "retargeted"
	drafted          what = "made a draft"
	readied          what = "ready for review"
	locked           what = "locked"
	unlocked         what = "unlocked"
	closed           what = "closed"
	reopened         what = "reopened"
	merged           what = "merged"
	autoMergeOn      what = "auto merge on"
	autoMergeOff     what = "auto merge off"
	enqueued         what = "enqueued"
	dequeued         what = "dequeued"
	reviewed         what = "reviewed"
	reviewEdited     what = "review edited"
	dismissed        what = "review dismissed"
	commented        what = "commented"
	commentEdited    what = "comment edited"
	commentRemoved   what = "comment removed"
	threadResolved   what = "thread resolved"
	threadUnresolved what = "thread unresolved"
)

// model is the provider's truth of one pull request.
type model struct {
	forge   forge
	now     time.Time     // the provider's clock
	tick    time.Duration // what each step adds to whole seconds
	updated time.Time     // updated_at

	state                        schemas.State
	title, body                  string
	draft, locked, autoMerge     bool
	head, pendingHead            string // pendingHead was pushed while it was closed
	base                         string
	fork, forkGone               bool
	labels, assignees, reviewers []string
	milestone                    string
	mergeCommit                  string
	createdAt, closedAt          time.Time
	queued                       bool
	dequeuedReason               string
	retargeted                   time.Time
	resetAt                      time.Time
	pushes, edits, ids           int

	reviews  []*review // in the order in which they were made
	comments []*comment
	threads  []*thread
	checks   []*check // the newest state of each
	heads    []string // every head so far

	shown      schemas.PullRequest // the columns as the newest snapshot states them
	deliveries []Delivery
	last       int // the place of the newest snapshot
}

type review struct {
	id, author string
	state      schemas.ReviewState
	sha, body  string
	at         time.Time
}

type comment struct {
	id                  int
	body, author        string
	line                bool // on a line of the changes
	thread              *thread
	live                bool
	createdAt, updateAt time.Time
}

type thread struct {
	id       string
	first    *comment
	comments []*comment
	resolved bool
}

func (t *thread) gone() bool {
	return !slices.ContainsFunc(t.comments, func(c *comment) bool { return c.live })
}

// check is the newest state of one check of one commit.
type check struct {
	sha string
	schemas.PullRequestCheck
	kind           schemas.CheckKind
	attempt, retry int
	started        time.Time
	finished       time.Time // of the run before, while it runs again
	// stated is the newest time that the provider states of it.
	stated time.Time
}

func newModel(pick Pick, tick time.Duration) *model {
	m := &model{
		now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), tick: tick, state: schemas.Open, title: "Keep the watermark",
		base: "main", draft: pick(4) == 0, fork: pick(4) == 0,
		labels: []string{}, assignees: []string{}, reviewers: []string{},
	}
	m.createdAt, m.updated = m.now, m.now
	return m
}

// open sends the first delivery. The forge is known by now.
func (m *model) open(f forge) {
	m.forge = f
	m.newHead()
	m.happen(change{what: opened})
}

// pass lets at least a second go by.
func (m *model) pass(pick Pick) {
	m.now = m.now.Add(time.Duration(1+pick(3))*time.Second + m.tick)
}

func (m *model) happen(c change) {
	if m.forge.moves(c) {
		m.updated = m.now
	}
	m.forge.tell(c)
}

// deliver sends a delivery. What a snapshot shows is what is known from then on.
func (m *model) deliver(d Delivery) {
	d.Name = fmt.Sprintf("%02d %s", len(m.deliveries), d.Name)
	if d.Snapshot {
		m.shown = m.forge.columns()
		m.last = len(m.deliveries)
	}
	m.deliveries = append(m.deliveries, d)
}

func (m *model) nextID() int {
	m.ids++
	return 5000 + m.ids
}

func (m *model) newHead() {
	m.pushes++
	m.head = m.sha(fmt.Sprintf("head %d", m.pushes))
	m.heads = append(m.heads, m.head)
}

// sha names a commit, whole.
func (m *model) sha(of string) string {
	sum := sha1.Sum([]byte(of)) //nolint:gosec // the name of a commit
	return hex.EncodeToString(sum[:])
}

// cut is a commit as the provider writes it in pull requests.
func (m *model) cut(sha string) string { return sha[:min(m.forge.shas(), len(sha))] }

// baseSHA is the commit of the base.
func (m *model) baseSHA() string { return m.sha("base " + m.base) }

func (m *model) isOpen() bool { return m.state == schemas.Open }

// toggle puts a name into a sorted list or takes it out.
func toggle(list []string, name string) (next []string, added bool) {
	place, has := slices.BinarySearch(list, name)
	if has {
		return slices.Delete(slices.Clone(list), place, place+1), false
	}
	return slices.Insert(slices.Clone(list), place, name), true
}
