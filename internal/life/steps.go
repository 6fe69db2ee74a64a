package life

import (
	"fmt"
	"slices"
	"time"

	"pawl/schemas"
)

// The steps that are alike at all providers.

func (m *model) push(Pick) bool {
	if m.forkGone {
		return false
	}
	switch m.state {
	case schemas.Open:
		before := m.head
		m.newHead()
		m.happen(change{what: pushed, before: before})
		return true
	case schemas.Closed:
		// Nothing is sent, and the pull request keeps its head until it is opened
		// again.
		m.pushes++
		m.pendingHead = m.sha(fmt.Sprintf("head %d", m.pushes))
		return true
	case schemas.Merged:
	}
	return false
}

func (m *model) label(pick Pick) bool {
	name := pick.of(labelNames)
	labels, added := toggle(m.labels, name)
	m.labels = labels
	m.happen(change{what: either(added, labeled, unlabeled), name: name})
	return true
}

func (m *model) assign(pick Pick) bool {
	name := pick.of(people)
	assignees, added := toggle(m.assignees, name)
	m.assignees = assignees
	m.happen(change{what: either(added, assigned, unassigned), name: name})
	return true
}

func (m *model) ask(pick Pick) bool {
	if !m.isOpen() {
		return false
	}
	name := pick.of(people)
	reviewers, added := toggle(m.reviewers, name)
	m.reviewers = reviewers
	m.happen(change{what: either(added, asked, unasked), name: name})
	return true
}

func (m *model) setMilestone(pick Pick) bool {
	if m.milestone != "" {
		before := m.milestone
		m.milestone = ""
		m.happen(change{what: demilestoned, name: before})
		return true
	}
	m.milestone = pick.of(milestones)
	m.happen(change{what: milestoned, name: m.milestone})
	return true
}

func (m *model) retitle(Pick) bool {
	before := m.title
	m.edits++
	m.title = fmt.Sprintf("title %d", m.edits)
	m.happen(change{what: retitled, before: before})
	return true
}

// describe sets the text: to nothing, to one that closes an issue, to another.
func (m *model) describe(pick Pick) bool {
	before := m.body
	m.edits++
	m.body = []string{"", fmt.Sprintf("Fixes #%d", m.edits), fmt.Sprintf("text %d", m.edits)}[pick(3)]
	if m.body == before {
		return false
	}
	m.happen(change{what: described, before: before})
	return true
}

func (m *model) retarget(pick Pick) bool {
	if !m.isOpen() {
		return false
	}
	before := m.base
	m.base = pick.of(slices.DeleteFunc(slices.Clone(branches), func(b string) bool { return b == before }))
	m.retargeted = m.now
	m.happen(change{what: retargeted, before: before})
	return true
}

// retargetAnew goes to a base that was none before.
func (m *model) retargetAnew(Pick) bool {
	if !m.isOpen() {
		return false
	}
	before := m.base
	m.edits++
	m.base, m.retargeted = fmt.Sprintf("base-%d", m.edits), m.now
	m.happen(change{what: retargeted, before: before})
	return true
}

func (m *model) toggleDraft(Pick) bool {
	if !m.isOpen() {
		return false
	}
	m.draft = !m.draft
	m.happen(change{what: either(m.draft, drafted, readied)})
	return true
}

func (m *model) toggleLock(Pick) bool {
	m.locked = !m.locked
	m.happen(change{what: either(m.locked, locked, unlocked)})
	return true
}

func (m *model) toggleAutoMerge(Pick) bool {
	if !m.isOpen() {
		return false
	}
	m.autoMerge = !m.autoMerge
	m.happen(change{what: either(m.autoMerge, autoMergeOn, autoMergeOff)})
	return true
}

func (m *model) closeOrReopen(Pick) bool {
	switch m.state {
	case schemas.Open:
		m.state, m.closedAt = schemas.Closed, m.now
		m.happen(change{what: closed})
		return true
	case schemas.Closed:
		if m.forkGone {
			return false
		}
		m.reopen()
		m.happen(change{what: reopened})
		return true
	case schemas.Merged:
	}
	return false
}

// reopen takes over what was pushed meanwhile.
func (m *model) reopen() {
	m.state, m.closedAt = schemas.Open, time.Time{}
	if m.pendingHead != "" {
		m.head, m.pendingHead = m.pendingHead, ""
		m.heads = append(m.heads, m.head)
	}
}

func (m *model) merge(Pick) bool {
	if !m.isOpen() || m.draft {
		return false
	}
	m.state, m.closedAt, m.mergeCommit = schemas.Merged, m.now, m.sha("merge "+m.head)
	m.happen(change{what: merged})
	return true
}

// deleteFork takes the head's repository away. Nothing tells of it. Where no delivery
// has shown the head, nobody can know whose it was.
func (m *model) deleteFork(Pick) bool {
	if !m.fork || m.forkGone || m.shown.HeadSHA != m.cut(m.head) {
		return false
	}
	m.forkGone = true
	return true
}

// unstatedOnceForkIsGone: a snapshot from after that does not say where the head was
// pushed to.
func unstatedOnceForkIsGone(m *model, fields ...string) []string {
	if m.forkGone {
		return append(fields, "HeadCommit")
	}
	return fields
}

// The steps of comments. Those on a line make threads where the provider has them.

func (m *model) addComment(pick Pick) bool {
	m.happen(change{what: commented, comment: m.newComment(pick, nil)})
	return true
}

func (m *model) newComment(pick Pick, in *thread) *comment {
	made := &comment{id: m.nextID(), author: pick.of(people), thread: in, line: in != nil, live: true, createdAt: m.now, updateAt: m.now}
	made.body = fmt.Sprintf("comment %d", made.id)
	m.comments = append(m.comments, made)
	if in != nil {
		in.comments = append(in.comments, made)
	}
	return made
}

func (m *model) editComment(pick Pick) bool {
	found := m.liveComments()
	if len(found) == 0 {
		return false
	}
	m.editOf(found[pick(len(found))])
	return true
}

func (m *model) editOf(edited *comment) {
	m.edits++
	edited.body, edited.updateAt = fmt.Sprintf("comment %d, edit %d", edited.id, m.edits), m.now
	m.happen(change{what: commentEdited, comment: edited})
}

func (m *model) liveComments() []*comment {
	return slices.DeleteFunc(slices.Clone(m.comments), func(c *comment) bool { return !c.live })
}

// removeComment leaves the first comment of a thread alone while there are
// answers: what providers then call the thread is not known.
func (m *model) removeComment(pick Pick) bool {
	found := slices.DeleteFunc(m.liveComments(), func(c *comment) bool {
		return c.thread != nil && c == c.thread.first && len(c.thread.comments) > 1
	})
	if len(found) == 0 {
		return false
	}
	gone := found[pick(len(found))]
	gone.live = false
	m.happen(change{what: commentRemoved, comment: gone})
	return true
}

// addThread opens a thread by a comment on a line.
func (m *model) addThread(pick Pick) bool {
	made := &thread{}
	made.first = m.newComment(pick, made)
	made.id = fmt.Sprint(made.first.id)
	m.threads = append(m.threads, made)
	m.happen(change{what: commented, comment: made.first, thread: made})
	return true
}

func (m *model) reply(pick Pick) bool {
	found := m.liveThreads(func(*thread) bool { return true })
	if len(found) == 0 {
		return false
	}
	in := found[pick(len(found))]
	m.happen(change{what: commented, comment: m.newComment(pick, in), thread: in})
	return true
}

func (m *model) liveThreads(keep func(*thread) bool) []*thread {
	return slices.DeleteFunc(slices.Clone(m.threads), func(t *thread) bool { return t.gone() || !keep(t) })
}

func (m *model) resolve(pick Pick) bool {
	found := m.liveThreads(func(t *thread) bool { return !t.resolved })
	if len(found) == 0 {
		return false
	}
	in := found[pick(len(found))]
	in.resolved = true
	m.happen(change{what: threadResolved, thread: in})
	return true
}

func (m *model) unresolve(pick Pick) bool {
	found := m.liveThreads(func(t *thread) bool { return t.resolved })
	if len(found) == 0 {
		return false
	}
	in := found[pick(len(found))]
	in.resolved = false
	m.happen(change{what: threadUnresolved, thread: in})
	return true
}

// The steps of people who have one opinion at a time, under their name.

// say sets a person's opinion.
func (m *model) say(person string, state schemas.ReviewState) {
	id := "user/" + person
	m.reviews = slices.DeleteFunc(m.reviews, func(r *review) bool { return r.id == id })
	said := &review{id: id, author: person, state: state, sha: m.cut(m.head), at: m.now}
	m.reviews = append(m.reviews, said)
	m.happen(change{what: reviewed, name: person, review: said})
}

func (m *model) opinion(person string) *review {
	for _, r := range m.reviews {
		if r.id == "user/"+person {
			return r
		}
	}
	return nil
}

func either[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}
