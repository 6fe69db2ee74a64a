package life

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"pawl/schemas"
)

// github renders what GitHub sends.
//
// Its clock has steps of a second, and every step of a life takes at least one.
// Within a second nothing but the changes themselves tells an order; that is
// tested by TestI6_OneSecondEndsInTheSameRow of the projector, and by trap 27.
// Whether a resolved thread moves the pull request's updated_at is not known:
// here it does not, and the payload states the time itself. Without either, two
// such deliveries have no order.
type github struct {
	*model
	groups []string // the commits of merge groups
	name   string   // the full name of the repository
}

const (
	githubRepository = 101
	githubFork       = 202
)

// GitHub opens a pull request at GitHub.
func GitHub(pick Pick) *Life {
	g := &github{model: newModel(pick, 0), name: "acme/api"}
	life := born(g, g.model)
	life.Provider, life.Instance = "github", "github.com"
	life.Entity = schemas.PullRequestKey(life.Instance, strconv.Itoa(githubRepository), Number)
	return life
}

func (*github) shas() int { return 40 }

func (*github) unstated() []string { return nil }

func (g *github) steps() []step {
	return []step{
		{"code", "push", g.outOfQueue(g.push)},
		{"code", "retarget", g.outOfQueue(g.retarget)},
		{"code", "delete fork", g.deleteFork},
		{"labels", "label", g.label},
		{"people", "assign", g.assign},
		{"people", "milestone", g.setMilestone},
		{"people", "ask", g.ask},
		{"text", "retitle", g.retitle},
		{"text", "describe", g.describe},
		{"flags", "draft", g.outOfQueue(g.toggleDraft)},
		{"flags", "lock", g.toggleLock},
		{"flags", "auto merge", g.toggleAutoMerge},
		{"state", "close", g.outOfQueue(g.closeOrReopen)},
		{"merge", "merge", g.merge},
		{"queue", "queue", g.enterOrLeaveQueue},
		{"reviews", "review", g.addReview},
		{"reviews", "edit review", g.editReview},
		{"reviews", "dismiss", g.dismiss},
		{"comments", "comment", g.addComment},
		{"comments", "edit comment", g.editComment},
		{"comments", "remove comment", g.removeComment},
		{"threads", "thread", g.addThread},
		{"threads", "reply", g.reply},
		{"threads", "edit comment", g.editComment},
		{"threads", "remove comment", g.removeComment},
		{"threads", "resolve", g.resolve},
		{"threads", "unresolve", g.unresolve},
		{"checks", "check", g.check},
		{"suites", "suite", g.suite},
		{"name", "rename", g.rename},
		{"name", "describe", g.describe},
	}
}

// moves: all that happens moves updated_at, but for threads and checks.
func (*github) moves(c change) bool { return c.what != threadResolved && c.what != threadUnresolved }

// outOfQueue lets a pull request leave the queue before something that it cannot
// do in there.
func (g *github) outOfQueue(do func(Pick) bool) func(Pick) bool {
	return func(pick Pick) bool {
		if g.queued {
			g.leaveQueue("MANUAL")
			g.pass(pick)
		}
		return do(pick)
	}
}

func (g *github) enterOrLeaveQueue(pick Pick) bool {
	switch {
	case g.queued:
		g.leaveQueue([]string{"CI_FAILURE", "MERGE_CONFLICT", "MANUAL"}[pick(3)])
		return true
	case !g.isOpen() || g.draft:
		return false
	}
	g.queued, g.dequeuedReason = true, ""
	g.groups = append(g.groups, g.sha(fmt.Sprintf("group %d", len(g.groups))))
	g.happen(change{what: enqueued})
	g.tellGroup("checks_requested", "")
	return true
}

func (g *github) leaveQueue(reason string) {
	g.queued, g.dequeuedReason = false, reason
	g.happen(change{what: dequeued, name: reason})
	g.tellGroup("destroyed", either(reason == "MERGE", "merged", "dequeued"))
}

// merge through the queue sends three deliveries in one second. Which of the first
// two comes first is not known (trap 13).
func (g *github) merge(pick Pick) bool {
	queued := g.queued
	if queued && pick(2) == 0 {
		g.leaveQueue("MERGE")
		queued = false
	}
	if !g.model.merge(pick) {
		return false
	}
	if queued {
		g.leaveQueue("MERGE")
	}
	return true
}

func (g *github) addReview(pick Pick) bool {
	by := pick.of(people)
	if i, asked := slices.BinarySearch(g.reviewers, by); asked {
		// The request is done. No delivery but the next snapshot says so.
		g.reviewers = slices.Delete(slices.Clone(g.reviewers), i, i+1)
	}
	said := &review{id: strconv.Itoa(g.nextID()), author: by, sha: g.head, at: g.now}
	said.state = []schemas.ReviewState{schemas.ReviewApproved, schemas.ReviewChangesRequested, schemas.ReviewCommented}[pick(3)]
	said.body = either(said.state == schemas.ReviewApproved, "", "review "+said.id)
	g.reviews = append(g.reviews, said)
	g.happen(change{what: reviewed, review: said})
	return true
}

func (g *github) editReview(pick Pick) bool {
	if len(g.reviews) == 0 {
		return false
	}
	said := g.reviews[pick(len(g.reviews))]
	g.edits++
	said.body = fmt.Sprintf("review %s, edit %d", said.id, g.edits)
	g.happen(change{what: reviewEdited, review: said})
	return true
}

// dismiss takes a review back for its author. A comment cannot be dismissed.
func (g *github) dismiss(pick Pick) bool {
	found := slices.DeleteFunc(slices.Clone(g.reviews), func(r *review) bool {
		return r.state != schemas.ReviewApproved && r.state != schemas.ReviewChangesRequested
	})
	if len(found) == 0 {
		return false
	}
	said := found[pick(len(found))]
	said.state = schemas.ReviewDismissed
	g.happen(change{what: dismissed, review: said})
	return true
}

func (g *github) columns() schemas.PullRequest {
	return schemas.PullRequest{
		RepositoryID: strconv.Itoa(githubRepository), Repository: g.name,
		Title: g.title, Body: g.body, Author: author, State: g.state, Draft: g.draft, Locked: g.locked,
		HeadSHA: g.head, HeadRef: "watermark", HeadRepositoryID: g.headRepository(),
		HeadCommit: schemas.CommitKey("github.com", strconv.Itoa(githubRepository), g.head),
		BaseRef:    g.base, BaseSHA: g.baseSHA(), Labels: g.labels, Milestone: g.milestone,
		RequestedReviewers: g.reviewers, Assignees: g.assignees, AutoMerge: g.autoMerge, MergeCommitSHA: g.testMerge(),
		Commits: int64(g.pushes), Additions: int64(10 * g.pushes), Deletions: int64(g.pushes), ChangedFiles: 3,
		CreatedAt: g.createdAt, ClosedAt: g.closedAt, MergedAt: atOrZero(g.state == schemas.Merged, g.closedAt),
		ProviderUpdatedAt: g.updated, Links: g.links(g.name),
	}
}

func (g *github) count(row *schemas.PullRequest) {
	row.Comments, row.ReviewComments = g.live(false), g.live(true)
	row.Repository, row.Links = g.name, g.links(g.name)
}

// rename gives the repository another name, which every later payload has.
func (g *github) rename(Pick) bool {
	before := g.name
	g.edits++
	g.name = fmt.Sprintf("acme/api-%d", g.edits)
	repository := g.repo()
	repository["updated_at"] = g.now.Format(time.RFC3339)
	d := g.send("repository", "renamed", obj{
		"repository": repository, "changes": obj{"repository": obj{"name": obj{"from": before}}},
	})
	d.Kept = true
	g.deliver(d)
	return true
}

func (g *github) headRepository() string {
	switch {
	case g.forkGone:
		return ""
	case g.fork:
		return strconv.Itoa(githubFork)
	}
	return strconv.Itoa(githubRepository)
}

// testMerge is what merge_commit_sha holds before the merge: a commit that GitHub
// made to see whether there are conflicts.
func (g *github) testMerge() string {
	if g.mergeCommit != "" {
		return g.mergeCommit
	}
	return g.sha("test merge of " + g.head + " into " + g.base)
}

// tell sends the delivery of a change.
func (g *github) tell(c change) {
	switch c.what {
	case reviewed, reviewEdited, dismissed:
		g.tellReview(c)
	case commented, commentEdited, commentRemoved:
		g.tellComment(c)
	case threadResolved, threadUnresolved:
		g.tellThread(c)
	default:
		g.tellSnapshot(c)
	}
}

// actions are GitHub's words for what changes the pull request itself.
//
//nolint:gochecknoglobals // a constant table; Go has no constant maps
var githubActions = map[what]string{
	opened: "opened", pushed: "synchronize", labeled: "labeled", unlabeled: "unlabeled", assigned: "assigned",
	unassigned: "unassigned", milestoned: "milestoned", demilestoned: "demilestoned", asked: "review_requested",
	unasked: "review_request_removed", retitled: "edited", described: "edited", retargeted: "edited",
	drafted: "converted_to_draft", readied: "ready_for_review", locked: "locked", unlocked: "unlocked", closed: "closed",
	reopened: "reopened", merged: "closed", autoMergeOn: "auto_merge_enabled", autoMergeOff: "auto_merge_disabled",
	enqueued: "enqueued", dequeued: "dequeued",
}

func (g *github) tellSnapshot(c change) {
	body := obj{"number": Number, "pull_request": g.pullRequest()}
	switch c.what {
	case labeled, unlabeled:
		body["label"] = obj{"name": c.name}
	case assigned, unassigned:
		body["assignee"] = githubUser(c.name)
	case milestoned, demilestoned:
		body["milestone"] = obj{"title": c.name}
	case asked, unasked:
		body["requested_reviewer"] = githubUser(c.name)
	case pushed:
		body["before"], body["after"] = c.before, g.head
	case retitled:
		body["changes"] = obj{"title": obj{"from": c.before}}
	case described:
		body["changes"] = obj{"body": obj{"from": c.before}}
	case retargeted:
		body["changes"] = obj{"base": obj{"ref": obj{"from": c.before}, "sha": obj{"from": g.sha("base " + c.before)}}}
	case dequeued:
		body["reason"] = c.name
	}
	d := g.send("pull_request", githubActions[c.what], body)
	d.Snapshot = true
	g.deliver(d)
}

// pullRequest is the whole one. A title of a life never has a NUL, a ghost never
// acts: those are traps with tests of their own.
func (g *github) pullRequest() obj {
	return with(g.partial(), obj{
		"merged": g.state == schemas.Merged, "mergeable": nil, "mergeable_state": "unknown",
		"comments": g.live(false), "review_comments": g.live(true), "commits": g.pushes,
		"additions": 10 * g.pushes, "deletions": g.pushes, "changed_files": 3,
	})
}

// partial is the pull request in payloads of reviews and comments: without merged,
// and without the counts.
func (g *github) partial() obj {
	return obj{
		"id": 9_007_199_254, "number": Number, "state": either(g.isOpen(), "open", "closed"), "locked": g.locked,
		"title": g.title, "user": githubUser(author), "body": orNull(g.body), "draft": g.draft,
		"labels": named("name", g.labels), "milestone": titled(g.milestone), "assignees": githubUsers(g.assignees),
		"requested_reviewers": githubUsers(g.reviewers), "requested_teams": []obj{},
		"head":       obj{"ref": "watermark", "sha": g.head, "repo": g.headRepo()},
		"base":       obj{"ref": g.base, "sha": g.baseSHA(), "repo": g.repo()},
		"auto_merge": either[any](g.autoMerge, obj{"merge_method": "squash"}, nil), "merge_commit_sha": g.testMerge(),
		"created_at": g.createdAt.Format(time.RFC3339), "updated_at": g.updated.Format(time.RFC3339),
		"closed_at": timeOrNull(g.closedAt, time.RFC3339),
		"merged_at": timeOrNull(atOrZero(g.state == schemas.Merged, g.closedAt), time.RFC3339),
	}
}

func (g *github) headRepo() any {
	switch {
	case g.forkGone:
		return nil
	case g.fork:
		return obj{"id": githubFork, "full_name": "dan/api"}
	}
	return g.repo()
}

func (g *github) repo() obj { return obj{"id": githubRepository, "full_name": g.name} }

func githubUser(login string) obj { return obj{"login": login, "type": "User"} }

func githubUsers(logins []string) []obj {
	users := []obj{}
	for _, login := range logins {
		users = append(users, githubUser(login))
	}
	return users
}

// named writes a list of names as objects with that member.
func named(member string, names []string) []obj {
	list := []obj{}
	for _, name := range names {
		list = append(list, obj{member: name})
	}
	return list
}

func titled(milestone string) any {
	if milestone == "" {
		return nil
	}
	return obj{"title": milestone}
}

// send makes a delivery. GUIDs are of the event: each hook that is subscribed to
// it gets the same one.
func (g *github) send(event, action string, body obj) Delivery {
	if action != "" {
		body["action"] = action
	}
	if body["repository"] == nil {
		body["repository"] = g.repo()
	}
	body["sender"] = githubUser(author)
	header := http.Header{}
	header.Set("X-GitHub-Event", event)
	header.Set("X-GitHub-Delivery", fmt.Sprintf("guid-%d", len(g.deliveries)))
	header.Set("X-GitHub-Hook-ID", "1")
	return Delivery{Name: event + " " + action, Header: header, Body: encode(body), IDHeader: "X-GitHub-Delivery"}
}
