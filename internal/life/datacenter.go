package life

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"pawl/schemas"
)

// datacenter renders what Bitbucket Data Center sends.
//
// Its clock is version, which counts edits and changes of state, and then
// updatedDate, in milliseconds, which a push moves too. Verdicts and comments move
// neither, so a verdict shows the pull request as it was. So:
//
//   - A person gives a verdict only when asked for a review: it would add the person
//     to the reviewers without any clock, and two lists would have no order. One
//     who has a verdict is not taken off the list: that takes the verdict away, and
//     nothing says so.
//   - After its fork is deleted, a verdict waits until something moves the clock.
//   - A description is never emptied: the next snapshot leaves it out, and so does
//     one that does not know of it.
//
// There are no events for build statuses, threads, and for a pull request that is
// opened again: its next event shows it.
type datacenter struct {
	*model
	version    int
	forkGoneAt time.Time
	deleted    bool
}

const (
	dcTarget = 101
	dcSource = 202
	dcLayout = "2006-01-02T15:04:05-0700"
	dcTick   = 205 * time.Millisecond
	dcHost   = "bitbucket.example.com"
)

// DataCenter opens a pull request at Bitbucket Data Center.
func DataCenter(pick Pick) *Life {
	d := &datacenter{model: newModel(pick, dcTick)}
	life := born(d, d.model)
	life.Provider, life.Instance = "bitbucket", dcHost
	life.Entity = schemas.PullRequestKey(dcHost, strconv.Itoa(dcTarget), Number)
	return life
}

func (*datacenter) shas() int { return 40 }

func (d *datacenter) unstated() []string { return unstatedOnceForkIsGone(d.model) }

func (d *datacenter) steps() []step {
	steps := []step{
		{"code", "push", d.push},
		{"code", "retarget", d.retarget},
		{"code", "delete fork", d.deleteFork},
		{"people", "ask", d.ask},
		{"text", "retitle", d.retitle},
		{"text", "describe", d.describe},
		{"flags", "draft", d.toggleDraft},
		{"state", "close", d.closeOrReopen},
		{"merge", "merge", d.merge},
		{"merge", "delete", d.remove},
		{"reviews", "ask", d.ask},
		{"reviews", "review", d.review},
		{"comments", "comment", d.addComment},
		{"comments", "comment on a line", d.addLineComment},
		{"comments", "edit comment", d.editComment},
		{"comments", "remove comment", d.removeComment},
	}
	for i, s := range steps {
		steps[i].do = func(pick Pick) bool { return !d.deleted && s.do(pick) }
	}
	return steps
}

// moves counts the version beside: a push does not move that.
func (d *datacenter) moves(c change) bool {
	switch c.what {
	case reviewed, commented, commentEdited, commentRemoved:
		return false
	case opened, pushed:
		return true
	}
	d.version++
	return true
}

func (d *datacenter) ask(pick Pick) bool {
	name := pick.of(people)
	held := d.opinion(name)
	if !d.isOpen() || held != nil && slices.Contains(d.reviewers, name) {
		return false
	}
	return d.model.ask(func(int) int { return slices.Index(people, name) })
}

func (d *datacenter) describe(pick Pick) bool {
	return d.model.describe(func(int) int { return 1 + pick(2) })
}

func (d *datacenter) deleteFork(pick Pick) bool {
	d.forkGoneAt = d.now
	return d.model.deleteFork(pick)
}

// review gives a verdict or takes it back. Its time has no milliseconds.
func (d *datacenter) review(pick Pick) bool {
	if !d.isOpen() || len(d.reviewers) == 0 || d.forkGone && !d.updated.After(d.forkGoneAt) {
		return false
	}
	by := pick.of(d.reviewers)
	state := []schemas.ReviewState{schemas.ReviewApproved, schemas.ReviewChangesRequested, schemas.ReviewWithdrawn}[pick(3)]
	if held := d.opinion(by); held == nil && state == schemas.ReviewWithdrawn || held != nil && held.state == state {
		return false
	}
	now := d.now
	d.now = now.Truncate(time.Second)
	d.say(by, state)
	d.now = now
	return true
}

func (d *datacenter) addLineComment(pick Pick) bool {
	made := d.newComment(pick, nil)
	made.line = true
	d.happen(change{what: commented, comment: made})
	return true
}

// remove deletes the pull request. The payload shows it as it was, and the row
// closes: nothing will follow.
func (d *datacenter) remove(pick Pick) bool {
	if pick(3) > 0 {
		return false
	}
	d.deleted = true
	payload := d.pullRequest()
	at := d.now.Truncate(time.Second)
	d.updated = at
	if d.isOpen() {
		d.state, d.closedAt = schemas.Closed, at
	}
	d.sendOf("pr:deleted", payload, nil)
	return true
}

func (d *datacenter) columns() schemas.PullRequest {
	source := either(d.fork, dcSource, dcTarget)
	return schemas.PullRequest{
		RepositoryID: strconv.Itoa(dcTarget), Repository: "ACME/api",
		Title: d.title, Body: d.body, Author: author, State: d.state, Draft: d.draft,
		HeadSHA: d.head, HeadRef: "watermark", HeadRepositoryID: either(d.forkGone, "", strconv.Itoa(source)),
		HeadCommit: schemas.CommitKey(dcHost, strconv.Itoa(source), d.head),
		BaseRef:    d.base, BaseSHA: d.baseSHA(), RequestedReviewers: d.reviewers, MergeCommitSHA: d.mergeCommit,
		CreatedAt: d.createdAt, ClosedAt: d.closedAt, MergedAt: atOrZero(d.state == schemas.Merged, d.closedAt),
		ProviderUpdatedAt: d.updated, Links: d.links("ACME/api"),
	}
}

func (d *datacenter) count(row *schemas.PullRequest) {
	row.Comments, row.ReviewComments = d.live(false), d.live(true)
}

func (d *datacenter) tell(c change) {
	switch c.what {
	case opened:
		d.send("pr:opened", nil)
	case pushed:
		d.send("pr:from_ref_updated", obj{"previousFromHash": c.before})
	case closed:
		d.send("pr:declined", nil)
	case merged:
		d.send("pr:merged", nil)
	case reopened: // no event
	case asked, unasked:
		lists := obj{"addedReviewers": []obj{}, "removedReviewers": []obj{}}
		lists[either(c.what == asked, "addedReviewers", "removedReviewers")] = []obj{d.person(c.name)}
		d.send("pr:reviewer:updated", lists)
	case reviewed:
		d.tellReview(c)
	case commented, commentEdited, commentRemoved:
		d.tellComment(c)
	default:
		d.send("pr:modified", d.previous(c))
	}
}

// previous is what the fields were: each is there, changed or not, but for a
// description that was empty.
func (d *datacenter) previous(c change) obj {
	was := obj{
		"previousTitle": d.title, "previousDraft": d.draft,
		"previousTarget": obj{"id": "refs/heads/" + d.base, "displayId": d.base},
	}
	description := d.body
	switch c.what {
	case retitled:
		was["previousTitle"] = c.before
	case described:
		description = c.before
	case retargeted:
		was["previousTarget"] = obj{"id": "refs/heads/" + c.before, "displayId": c.before}
	case drafted, readied:
		was["previousDraft"] = !d.draft
	}
	if description != "" {
		was["previousDescription"] = description
	}
	return was
}

func (d *datacenter) tellReview(c change) {
	event := map[schemas.ReviewState]string{
		schemas.ReviewApproved: "approved", schemas.ReviewChangesRequested: "needs_work", schemas.ReviewWithdrawn: "unapproved",
	}[c.review.state]
	d.send("pr:reviewer:"+event, obj{
		"participant": obj{"user": d.person(c.name), "lastReviewedCommit": c.review.sha, "role": "REVIEWER"}, "previousStatus": "UNAPPROVED",
	})
}

// send sends the whole pull request.
func (d *datacenter) send(event string, more obj) { d.sendOf(event, d.pullRequest(), more) }

func (d *datacenter) sendOf(event string, pullRequest, more obj) {
	made := d.delivery(event, with(obj{"pullRequest": pullRequest}, more))
	made.Snapshot, made.Kept = true, more["participant"] != nil
	d.deliver(made)
}

func (d *datacenter) delivery(event string, body obj) Delivery {
	body["eventKey"], body["actor"] = event, d.person(author)
	body["date"] = d.now.In(time.FixedZone("", 60*60)).Format(dcLayout)
	header := http.Header{}
	header.Set("X-Event-Key", event)
	header.Set("X-Request-Id", fmt.Sprintf("request-%d", len(d.deliveries)))
	return Delivery{Name: event, Header: header, Body: encode(body), IDHeader: "X-Request-Id"}
}

func (d *datacenter) person(name string) obj { return obj{"name": name, "type": "NORMAL"} }

func (d *datacenter) repository(id int) obj {
	return obj{"id": id, "slug": "api", "project": obj{"key": either(id == dcTarget, "ACME", "~dan")}}
}

func (d *datacenter) pullRequest() obj {
	reviewers := []obj{}
	for _, name := range d.reviewers {
		reviewers = append(reviewers, obj{"user": d.person(name), "role": "REVIEWER"})
	}
	var source any = d.repository(either(d.fork, dcSource, dcTarget))
	if d.forkGone {
		source = nil
	}
	pr := obj{
		"id": Number, "version": d.version, "title": d.title, "draft": d.draft, "locked": false, "reviewers": reviewers,
		"state":       map[schemas.State]string{schemas.Open: "OPEN", schemas.Closed: "DECLINED", schemas.Merged: "MERGED"}[d.state],
		"author":      obj{"user": d.person(author), "role": "AUTHOR"},
		"createdDate": d.createdAt.UnixMilli(), "updatedDate": d.updated.UnixMilli(), "closedDate": nil,
		"fromRef": obj{"id": "refs/heads/watermark", "displayId": "watermark", "latestCommit": d.head, "repository": source},
		"toRef":   obj{"id": "refs/heads/" + d.base, "displayId": d.base, "latestCommit": d.baseSHA(), "repository": d.repository(dcTarget)},
	}
	if d.body != "" {
		pr["description"] = d.body
	}
	if !d.closedAt.IsZero() {
		pr["closedDate"] = d.closedAt.UnixMilli()
	}
	if d.mergeCommit != "" {
		pr["properties"] = obj{"mergeCommit": obj{"id": d.mergeCommit}}
	}
	return pr
}

// tellComment: a removal keeps updatedDate, and has the event's date.
func (d *datacenter) tellComment(c change) {
	event := map[what]string{commented: "added", commentEdited: "edited", commentRemoved: "deleted"}[c.what]
	said := obj{
		"id": c.comment.id, "version": 0, "text": c.comment.body, "author": d.person(c.comment.author),
		"createdDate": c.comment.createdAt.UnixMilli(), "updatedDate": c.comment.updateAt.UnixMilli(),
	}
	if c.comment.line {
		said["anchor"] = obj{"path": "a.go", "line": 1}
	}
	d.deliver(d.delivery("pr:comment:"+event, obj{
		"comment": said, "pullRequest": obj{"id": Number, "version": d.version, "toRef": obj{"repository": d.repository(dcTarget)}},
	}))
}
