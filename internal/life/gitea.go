package life

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"pawl/schemas"
)

// gitea renders what Gitea and Forgejo send.
//
// The clock has steps of a second, and some versions do not move updated_at when
// commits are pushed. Of two pushes within one updated_at nothing tells the order,
// so there is one at most. Labels come as the whole list, and no label is named.
//
// A dismissed review and a thread have no events, so there are none here; a lock
// has none either, and is shown by the next snapshot.
type gitea struct {
	*model
	pushMoves bool
	pushedAt  time.Time
}

const (
	giteaRepository = 101
	giteaFork       = 202
	giteaName       = "acme/api"
)

// Gitea opens a pull request at Gitea.
func Gitea(pick Pick) *Life {
	g := &gitea{model: newModel(pick, 0), pushMoves: pick(3) == 0}
	life := born(g, g.model)
	life.Provider, life.Instance = "gitea", "git.example.com"
	life.Entity = schemas.PullRequestKey(life.Instance, strconv.Itoa(giteaRepository), Number)
	return life
}

func (*gitea) shas() int { return 40 }

func (*gitea) unstated() []string { return nil }

func (g *gitea) steps() []step {
	return []step{
		{"code", "push", g.push},
		{"code", "retarget", g.retarget},
		{"code", "delete fork", g.deleteFork},
		{"labels", "label", g.label},
		{"labels", "clear labels", g.clearLabels},
		{"people", "assign", g.assign},
		{"people", "milestone", g.setMilestone},
		{"people", "ask", g.ask},
		{"text", "retitle", g.retitle},
		{"text", "describe", g.describe},
		{"flags", "draft", g.toggleDraft},
		{"flags", "lock", g.toggleLock},
		{"state", "close", g.closeOrReopen},
		{"merge", "merge", g.merge},
		{"reviews", "review", g.review},
		{"comments", "comment", g.addComment},
		{"comments", "edit comment", g.editComment},
		{"comments", "remove comment", g.removeComment},
		{"checks", "status", g.status},
		{"checks", "run", g.workflowRun},
	}
}

func (g *gitea) moves(c change) bool { return c.what != pushed || g.pushMoves }

func (g *gitea) push(pick Pick) bool {
	if !g.pushMoves && g.pushedAt.Equal(g.updated) {
		return false
	}
	g.pushedAt = g.updated
	return g.model.push(pick)
}

// clearLabels takes all away at once, which has an action of its own.
func (g *gitea) clearLabels(Pick) bool {
	if len(g.labels) == 0 {
		return false
	}
	g.labels = []string{}
	g.happen(change{what: unlabeled})
	return true
}

func (g *gitea) review(pick Pick) bool {
	if !g.isOpen() {
		return false
	}
	by := pick.of(people)
	state := []schemas.ReviewState{schemas.ReviewApproved, schemas.ReviewChangesRequested, schemas.ReviewCommented}[pick(3)]
	if state != schemas.ReviewCommented {
		g.say(by, state)
		return true
	}
	id := "user/" + by + "/comment"
	g.reviews = slices.DeleteFunc(g.reviews, func(r *review) bool { return r.id == id })
	said := &review{id: id, author: by, state: state, sha: g.head, at: g.now}
	g.reviews = append(g.reviews, said)
	g.happen(change{what: reviewed, name: by, review: said})
	return true
}

func (g *gitea) columns() schemas.PullRequest {
	return schemas.PullRequest{
		RepositoryID: strconv.Itoa(giteaRepository), Repository: giteaName,
		Title: g.fullTitle(), Body: g.body, Author: author, State: g.state, Draft: g.draft, Locked: g.locked,
		HeadSHA: g.head, HeadRef: "watermark", HeadRepositoryID: g.headRepository(),
		HeadCommit: schemas.CommitKey("git.example.com", strconv.Itoa(giteaRepository), g.head),
		BaseRef:    g.base, BaseSHA: g.baseSHA(), Labels: g.labels, Milestone: g.milestone,
		RequestedReviewers: g.reviewers, Assignees: g.assignees, MergeCommitSHA: g.mergeCommit,
		Additions: int64(10 * g.pushes), Deletions: int64(g.pushes), ChangedFiles: 3,
		CreatedAt: g.createdAt, ClosedAt: g.closedAt, MergedAt: atOrZero(g.state == schemas.Merged, g.closedAt),
		ProviderUpdatedAt: g.updated, Links: g.links(giteaName),
	}
}

func (g *gitea) count(row *schemas.PullRequest) { row.Comments = g.live(false) }

func (g *gitea) headRepository() string {
	switch {
	case g.forkGone:
		return ""
	case g.fork:
		return strconv.Itoa(giteaFork)
	}
	return strconv.Itoa(giteaRepository)
}

func (g *gitea) fullTitle() string { return either(g.draft, "WIP: ", "") + g.title }

// at writes a time with the offset of the server.
func (*gitea) at(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.In(time.FixedZone("", 9*60*60)).Format(time.RFC3339)
}

// giteaEvent is how Gitea names a change: the coarse event, the fine one, and the
// action.
type giteaEvent struct{ event, kind, action string }

//nolint:gochecknoglobals // a constant table; Go has no constant maps
var giteaEvents = map[what]giteaEvent{
	opened: {"pull_request", "pull_request", "opened"}, closed: {"pull_request", "pull_request", "closed"},
	merged: {"pull_request", "pull_request", "closed"}, reopened: {"pull_request", "pull_request", "reopened"},
	retitled: {"pull_request", "pull_request", "edited"}, described: {"pull_request", "pull_request", "edited"},
	retargeted: {"pull_request", "pull_request", "edited"}, drafted: {"pull_request", "pull_request", "edited"},
	readied: {"pull_request", "pull_request", "edited"}, pushed: {"pull_request", "pull_request_sync", "synchronized"},
	labeled: {"pull_request", "pull_request_label", "label_updated"}, unlabeled: {"pull_request", "pull_request_label", "label_updated"},
	assigned: {"pull_request", "pull_request_assign", "assigned"}, unassigned: {"pull_request", "pull_request_assign", "unassigned"},
	milestoned:   {"pull_request", "pull_request_milestone", "milestoned"},
	demilestoned: {"pull_request", "pull_request_milestone", "demilestoned"},
	asked:        {"pull_request", "pull_request_review_request", "review_requested"},
	unasked:      {"pull_request", "pull_request_review_request", "review_request_removed"},
}

func (g *gitea) tell(c change) {
	switch c.what {
	case locked, unlocked: // no event
	case commented, commentEdited, commentRemoved:
		g.tellComment(c)
	case reviewed:
		g.tellReview(c)
	default:
		g.tellSnapshot(c)
	}
}

func (g *gitea) tellSnapshot(c change) {
	named, body := giteaEvents[c.what], obj{}
	switch c.what {
	case retitled:
		body["changes"] = obj{"title": obj{"from": c.before}}
	case drafted, readied:
		body["changes"] = obj{"title": obj{"from": either(g.draft, "", "WIP: ") + g.title}}
	case described:
		body["changes"] = obj{"body": obj{"from": c.before}}
	case retargeted:
		body["changes"] = obj{"ref": obj{"from": c.before}}
	case asked, unasked:
		body["requested_reviewer"] = g.user(c.name)
	case unlabeled:
		if c.name == "" {
			named.action = "label_cleared"
		}
	}
	d := g.send(named, author, with(body, obj{"number": Number, "pull_request": g.pullRequest(), "review": nil}))
	d.Snapshot = true
	g.deliver(d)
}

func (g *gitea) tellReview(c change) {
	kind := map[schemas.ReviewState]string{
		schemas.ReviewApproved: "pull_request_review_approved", schemas.ReviewChangesRequested: "pull_request_review_rejected",
		schemas.ReviewCommented: "pull_request_review_comment",
	}[c.review.state]
	event := map[schemas.ReviewState]string{
		schemas.ReviewApproved: "pull_request_approved", schemas.ReviewChangesRequested: "pull_request_rejected",
		schemas.ReviewCommented: "pull_request_comment",
	}[c.review.state]
	d := g.send(giteaEvent{event, kind, "reviewed"}, c.name, obj{
		"number": Number, "pull_request": g.pullRequest(), "review": obj{"type": kind, "content": fmt.Sprint("at ", g.edits)},
	})
	d.Snapshot, d.Kept = true, true
	g.deliver(d)
}

func (g *gitea) tellComment(c change) {
	action := map[what]string{commented: "created", commentEdited: "edited", commentRemoved: "deleted"}[c.what]
	g.deliver(g.send(giteaEvent{"issue_comment", "pull_request_comment", action}, c.comment.author, obj{
		"is_pull": true, "issue": obj{"number": Number, "updated_at": g.at(g.updated), "pull_request": obj{"merged": false}},
		"comment": obj{
			"id": c.comment.id, "body": c.comment.body, "user": g.user(c.comment.author),
			"created_at": g.at(c.comment.createdAt), "updated_at": g.at(c.comment.updateAt),
		},
	}))
}

func (g *gitea) pullRequest() obj {
	var headRepo any = obj{"id": giteaFork}
	switch g.headRepository() {
	case "":
		headRepo = nil
	case strconv.Itoa(giteaRepository):
		headRepo = obj{"id": giteaRepository}
	}
	headID := either(g.forkGone, -1, either(g.fork, giteaFork, giteaRepository))
	return obj{
		"id": 1, "number": Number, "user": g.user(author), "title": g.fullTitle(), "body": g.body, "draft": g.draft,
		"labels": named("name", g.labels), "milestone": titled(g.milestone), "assignees": either[any](len(g.assignees) == 0, nil, g.users(g.assignees)),
		"requested_reviewers": either[any](len(g.reviewers) == 0, nil, g.users(g.reviewers)),
		"state":               either(g.isOpen(), "open", "closed"), "is_locked": g.locked, "comments": g.live(false), "review_comments": 0,
		"additions": 10 * g.pushes, "deletions": g.pushes, "changed_files": 3, "mergeable": true,
		"merged": g.state == schemas.Merged, "merged_at": g.at(atOrZero(g.state == schemas.Merged, g.closedAt)),
		"merge_commit_sha": orNull(g.mergeCommit), "closed_at": g.at(g.closedAt),
		"base":       obj{"label": g.base, "ref": g.base, "sha": g.baseSHA(), "repo_id": giteaRepository, "repo": obj{"id": giteaRepository}},
		"head":       obj{"label": "watermark", "ref": either(g.forkGone, "refs/pull/7/head", "watermark"), "sha": g.head, "repo_id": headID, "repo": headRepo},
		"created_at": g.at(g.createdAt), "updated_at": g.at(g.updated),
	}
}

func (g *gitea) user(name string) obj {
	return obj{"id": 10 + slices.Index(people, name) + 1, "login": name, "username": name}
}

func (g *gitea) users(names []string) []obj {
	list := []obj{}
	for _, name := range names {
		list = append(list, g.user(name))
	}
	return list
}

// send makes a delivery, with the copies under the names of GitHub's headers.
func (g *gitea) send(named giteaEvent, by string, body obj) Delivery {
	if named.action != "" {
		body["action"] = named.action
	}
	body["repository"] = obj{"id": giteaRepository, "full_name": giteaName}
	body["sender"] = g.user(by)
	header, id := http.Header{}, fmt.Sprintf("uuid-%d", len(g.deliveries))
	for _, family := range []string{"X-Gitea", "X-Gogs", "X-GitHub"} {
		header.Set(family+"-Event", named.event)
		header.Set(family+"-Event-Type", named.kind)
	}
	header.Set("X-Gitea-Delivery", id)
	return Delivery{Name: named.kind + " " + named.action, Header: header, Body: encode(body), IDHeader: "X-Gitea-Delivery"}
}

// status: each state of a context is a row of its own.
func (g *gitea) status(pick Pick) bool {
	c := g.find(schemas.CommitStatus, "", "ci/build", g.heads[pick(len(g.heads))])
	if !c.runs() {
		c.begin(g.now, schemas.CheckInProgress)
	} else {
		c.end(g.now, pick.of([]string{"success", "failure", "error", "warning"}))
	}
	d := g.send(giteaEvent{"status", "status", ""}, "ann", obj{
		"id": g.nextID(), "sha": c.sha, "context": pick.of([]string{"ci/build", "CI/build"}),
		"state": either(c.runs(), "pending", c.Conclusion), "created_at": g.at(g.now), "updated_at": g.at(g.now),
	})
	d.Kept = true
	g.deliver(d)
	return true
}

// workflowRun: a run that is done again keeps its id, and what has not happened yet
// happened in 1970.
func (g *gitea) workflowRun(pick Pick) bool {
	c := g.find(schemas.WorkflowRun, "gitea-actions", "build", g.heads[pick(len(g.heads))])
	action, ended := "completed", g.now
	switch {
	case !c.runs():
		action, c.retry = "requested", c.retry+1
		if c.attempt == 0 {
			c.attempt = g.nextID()
		}
		c.begin(g.now, schemas.CheckQueued)
	case c.Status == schemas.CheckQueued && pick(2) == 0:
		action, c.Status, c.stated = "in_progress", schemas.CheckInProgress, g.now
	default:
		c.end(g.now, pick.of([]string{"success", "failure", "cancelled"}))
	}
	if c.runs() {
		ended = time.Unix(0, 0)
	}
	d := g.send(giteaEvent{"workflow_run", "workflow_run", action}, "ann", obj{
		"workflow": obj{"name": "build"}, "workflow_run": obj{
			"id": c.attempt, "head_sha": c.sha, "path": "build.yml@refs/heads/main", "status": string(c.Status),
			"conclusion": c.Conclusion, "run_attempt": c.retry, "started_at": g.at(c.started), "completed_at": g.at(ended),
			"updated_at": g.at(g.now),
		},
	})
	d.Kept = true
	g.deliver(d)
	return true
}
