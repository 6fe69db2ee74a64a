package life

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"pawl/schemas"
)

// gitlab renders what GitLab sends.
//
// Its clock has steps of a second. A change of labels alone does not move
// updated_at, nor does the end of a merge. So:
//
//   - Within one updated_at each label comes or goes once, and several at once come
//     last: that one came and went again leaves two values and no order.
//   - Threads are resolved all at once, and nothing is said in a thread that is
//     resolved: GitLab does not tell of one that is resolved while others are not.
//   - No note is removed, and no request for changes taken back: neither is told.
type gitlab struct {
	*model
	touched   map[string]bool // the labels that changed within touchedAt
	touchedAt time.Time
	merging   bool
}

const (
	gitlabLayout = "2006-01-02 15:04:05 UTC"
	gitlabTarget = 101
	gitlabSource = 202
	gitlabPath   = "acme/api"
)

// GitLab opens a merge request at GitLab.
func GitLab(pick Pick) *Life {
	g := &gitlab{model: newModel(pick, 0)}
	life := born(g, g.model)
	life.Provider, life.Instance = "gitlab", "gitlab.com"
	life.Entity = schemas.PullRequestKey(life.Instance, strconv.Itoa(gitlabTarget), Number)
	return life
}

func (*gitlab) shas() int { return 40 }

// unstated: the payload names the author by an id, and by name only where the
// author acts.
func (g *gitlab) unstated() []string { return unstatedOnceForkIsGone(g.model, "Author") }

func (g *gitlab) steps() []step {
	return []step{
		{"code", "push", g.push},
		{"code", "retarget", g.retarget},
		{"code", "retarget and label", g.retargetAndLabel},
		{"code", "delete fork", g.deleteFork},
		{"labels", "label", g.label},
		{"labels", "set labels", g.setLabels},
		{"labels", "retitle and label", g.retitleAndLabel},
		{"people", "assign", g.assign},
		{"people", "milestone", g.setMilestone},
		{"people", "ask", g.ask},
		{"text", "retitle", g.retitle},
		{"text", "describe", g.describe},
		{"flags", "draft", g.toggleDraft},
		{"flags", "lock", g.toggleLock},
		{"flags", "auto merge", g.toggleAutoMerge},
		{"state", "close", g.closeOrReopen},
		{"merge", "merge", g.merge},
		{"reviews", "approve", g.approve},
		{"reviews", "withdraw", g.withdraw},
		{"reviews", "ask", g.ask},
		{"reviews", "object", g.object},
		{"reviews", "reset", g.reset},
		{"comments", "comment", g.addComment},
		{"comments", "edit comment", g.editComment},
		{"threads", "thread", g.addThread},
		{"threads", "reply", g.reply},
		{"threads", "edit comment", g.editComment},
		{"threads", "resolve", g.resolveAll},
		{"checks", "pipeline", g.pipeline},
	}
}

// moves: labels alone do not move updated_at, nor does the end of a merge, which
// began with the state locked.
func (g *gitlab) moves(c change) bool {
	switch c.what {
	case labeled, unlabeled:
		return false
	case merged:
		return !g.merging
	}
	return true
}

func (g *gitlab) label(pick Pick) bool {
	name := pick.of(labelNames)
	if !g.mayTouch(name) {
		return false
	}
	return g.model.label(func(int) int { return slices.Index(labelNames, name) })
}

// mayTouch reports whether the label did not change within this updated_at yet,
// and notes that it does now.
func (g *gitlab) mayTouch(names ...string) bool {
	if !g.touchedAt.Equal(g.updated) {
		g.touched, g.touchedAt = make(map[string]bool), g.updated
	}
	for _, name := range names {
		if g.touched[name] {
			return false
		}
	}
	for _, name := range names {
		g.touched[name] = true
	}
	return true
}

// setLabels changes all labels at once, which names none of them. It is the last
// change of labels within one updated_at.
func (g *gitlab) setLabels(Pick) bool {
	if !g.mayTouch(labelNames...) {
		return false
	}
	before := g.labels
	for _, name := range labelNames {
		g.labels, _ = toggle(g.labels, name)
	}
	g.send("update", obj{"labels": changed(named("title", before), named("title", g.labels))}, nil)
	return true
}

// retitleAndLabel is one update of two things, which moves updated_at.
func (g *gitlab) retitleAndLabel(pick Pick) bool {
	title, labels := g.title, g.labels
	g.edits++
	g.title = fmt.Sprintf("title %d", g.edits)
	g.labels, _ = toggle(g.labels, pick.of(labelNames))
	g.updated = g.now
	g.send("update", obj{
		"title": changed(title, g.title), "labels": changed(named("title", labels), named("title", g.labels)),
	}, nil)
	return true
}

// retargetAndLabel is one update of two things. It goes to a base that was none
// before: nothing says of such an update that it moved the base, see cloud.
func (g *gitlab) retargetAndLabel(pick Pick) bool {
	if !g.isOpen() {
		return false
	}
	before := g.labels
	g.labels, _ = toggle(g.labels, pick.of(labelNames))
	g.edits++
	base := g.base
	g.base, g.retargeted, g.updated = fmt.Sprintf("base-%d", g.edits), g.now, g.now
	g.send("update", obj{
		"target_branch": changed(base, g.base), "labels": changed(named("title", before), named("title", g.labels)),
	}, nil)
	return true
}

// merge locks the request while it is merged; sometimes a delivery shows that.
func (g *gitlab) merge(pick Pick) bool {
	if !g.isOpen() || g.draft {
		return false
	}
	if pick(2) == 0 {
		g.merging, g.updated = true, g.now
		g.send("update", obj{}, nil)
	}
	return g.model.merge(pick)
}

func (g *gitlab) approve(pick Pick) bool {
	by := pick.of(people)
	if !g.isOpen() {
		return false
	}
	if held := g.opinion(by); held != nil && held.state == schemas.ReviewApproved && held.at.After(g.resetAt) {
		return false
	}
	g.say(by, schemas.ReviewApproved)
	return true
}

func (g *gitlab) withdraw(pick Pick) bool {
	by := pick.of(people)
	held := g.opinion(by)
	if !g.isOpen() || held == nil || held.state != schemas.ReviewApproved || !held.at.After(g.resetAt) {
		return false
	}
	g.say(by, schemas.ReviewWithdrawn)
	return true
}

// object: changes are requested by who was asked for a review.
func (g *gitlab) object(pick Pick) bool {
	if !g.isOpen() || len(g.reviewers) == 0 {
		return false
	}
	by := pick.of(g.reviewers)
	if held := g.opinion(by); held != nil && held.state == schemas.ReviewChangesRequested {
		return false
	}
	g.say(by, schemas.ReviewChangesRequested)
	return true
}

// reset takes all approvals back, by a rule of the project.
func (g *gitlab) reset(Pick) bool {
	if !g.isOpen() {
		return false
	}
	g.resetAt, g.updated = g.now, g.now
	g.send("unapproved", obj{}, obj{"system": true, "system_action": "code_owner_approvals_reset_on_push"})
	return true
}

// resolveAll: GitLab tells of it once none is left, by an update of the request.
func (g *gitlab) resolveAll(Pick) bool {
	found := g.liveThreads(func(t *thread) bool { return !t.resolved })
	if len(found) == 0 {
		return false
	}
	for _, t := range found {
		t.resolved = true
	}
	g.updated = g.now
	g.send("update", obj{}, nil)
	return true
}

func (g *gitlab) reply(pick Pick) bool {
	found := g.liveThreads(func(t *thread) bool { return !t.resolved })
	if len(found) == 0 {
		return false
	}
	in := found[pick(len(found))]
	g.happen(change{what: commented, comment: g.newComment(pick, in), thread: in})
	return true
}

func (g *gitlab) editComment(pick Pick) bool {
	found := slices.DeleteFunc(g.liveComments(), func(c *comment) bool { return c.thread != nil && c.thread.resolved })
	if len(found) == 0 {
		return false
	}
	g.editOf(found[pick(len(found))])
	return true
}

func (g *gitlab) columns() schemas.PullRequest {
	source := gitlabTarget
	if g.fork {
		source = gitlabSource
	}
	return schemas.PullRequest{
		RepositoryID: strconv.Itoa(gitlabTarget), Repository: gitlabPath,
		Title: g.fullTitle(), Body: g.body, Author: author, State: g.state, Draft: g.draft, Locked: g.locked,
		HeadSHA: g.head, HeadRef: "watermark", HeadRepositoryID: either(g.forkGone, "", strconv.Itoa(source)),
		HeadCommit: schemas.CommitKey("gitlab.com", strconv.Itoa(source), g.head),
		BaseRef:    g.base, Labels: g.labels, RequestedReviewers: g.reviewers, Assignees: g.assignees,
		AutoMerge: g.autoMerge, MergeCommitSHA: g.mergeCommit, CreatedAt: g.createdAt, ProviderUpdatedAt: g.updated,
		Links: g.links(gitlabPath),
	}
}

func (g *gitlab) count(row *schemas.PullRequest) {
	row.Comments, row.ReviewComments = g.live(false), g.live(true)
}

// fullTitle: the title of a draft says so.
func (g *gitlab) fullTitle() string { return either(g.draft, "Draft: ", "") + g.title }

// changed is one member of changes.
func changed(before, after any) obj { return obj{"previous": before, "current": after} }

func (g *gitlab) user(name string) obj {
	return obj{"id": 10 + slices.Index(people, name) + 1, "username": name, "email": "[REDACTED]"}
}

func (g *gitlab) users(names []string) []obj {
	list := []obj{}
	for _, name := range names {
		list = append(list, g.user(name))
	}
	return list
}

// header makes the headers of a delivery. Idempotency-Key alone names it.
func (g *gitlab) header(event string) http.Header {
	header := http.Header{}
	header.Set("X-Gitlab-Event", event)
	header.Set("X-Gitlab-Instance", "https://gitlab.com")
	header.Set("Idempotency-Key", fmt.Sprintf("key-%d", len(g.deliveries)))
	header.Set("X-Gitlab-Event-UUID", "one for all")
	return header
}

func (g *gitlab) project(id int) obj {
	return obj{"id": id, "path_with_namespace": either(id == gitlabTarget, gitlabPath, "dan/api")}
}
