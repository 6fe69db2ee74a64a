package life

import (
	"fmt"
	"net/http"
	"time"

	"pawl/schemas"
)

// cloud renders what Bitbucket Cloud sends.
//
// updated_on counts microseconds and moves with all that happens. Commits have 12
// digits in pull requests, and 40 in build statuses.
//
//   - An update does not say what it changed, so nothing announces that the base
//     moved: the snapshots around it tell. A base is never gone back to. Where a
//     late delivery shows that it was left meanwhile, when it came back is known
//     only as well as by the newest snapshot, and fewer results may count.
//   - A thread is resolved once: that it is opened again has no time.
//   - A declined pull request stays declined, and there are no labels, milestones,
//     assignees, locks and queues, nor times of closing and merging.
//   - comment_count counts the comments on lines too. Those that came after the
//     newest snapshot are in the row's review_comments alone.
type cloud struct {
	*model
	then int64 // the comments of the conversation at the newest snapshot
}

const (
	cloudLayout     = "2006-01-02T15:04:05.000000+00:00"
	cloudRepository = "1fd5b0ab-4ce7-4b3e-9a0c-0a3e3d1f0001"
	cloudFork       = "1fd5b0ab-4ce7-4b3e-9a0c-0a3e3d1f0002"
	cloudName       = "acme/api"
	cloudTick       = 123457 * time.Microsecond
)

// Cloud opens a pull request at Bitbucket Cloud.
func Cloud(pick Pick) *Life {
	c := &cloud{model: newModel(pick, cloudTick)}
	life := born(c, c.model)
	life.Provider, life.Instance = "bitbucket", "bitbucket.org"
	life.Entity = schemas.PullRequestKey(life.Instance, cloudRepository, Number)
	return life
}

func (*cloud) shas() int { return 12 }

func (c *cloud) unstated() []string { return unstatedOnceForkIsGone(c.model) }

func (c *cloud) steps() []step {
	return []step{
		{"code", "push", c.push},
		{"code", "retarget", c.retargetAnew},
		{"code", "delete fork", c.deleteFork},
		{"people", "ask", c.ask},
		{"text", "retitle", c.retitle},
		{"text", "describe", c.describe},
		{"flags", "draft", c.toggleDraft},
		{"state", "decline", c.decline},
		{"merge", "merge", c.merge},
		{"reviews", "approve", c.approve},
		{"reviews", "object", c.object},
		{"reviews", "withdraw", c.withdraw},
		{"comments", "comment", c.addComment},
		{"comments", "edit comment", c.editComment},
		{"comments", "remove comment", c.removeComment},
		{"threads", "thread", c.addThread},
		{"threads", "reply", c.reply},
		{"threads", "edit comment", c.editComment},
		{"threads", "remove comment", c.removeComment},
		{"threads", "resolve", c.resolve},
		{"checks", "status", c.status},
	}
}

func (*cloud) moves(change) bool { return true }

func (c *cloud) decline(pick Pick) bool { return c.isOpen() && c.closeOrReopen(pick) }

// approve takes a request for changes back, of which an event of its own tells.
// Both have one time, and which comes first is not known.
func (c *cloud) approve(pick Pick) bool {
	by := pick.of(people)
	held := c.opinion(by)
	if !c.isOpen() || held != nil && held.state == schemas.ReviewApproved {
		return false
	}
	objected := held != nil && held.state == schemas.ReviewChangesRequested
	before := objected && pick(2) == 0
	if before {
		held.state, held.sha, held.at = schemas.ReviewApproved, c.cut(c.head), c.now
		c.updated = c.now
		c.tellVerdict("changes_request_removed", by, c.now)
	}
	c.say(by, schemas.ReviewApproved)
	if objected && !before {
		c.tellVerdict("changes_request_removed", by, c.now)
	}
	return true
}

func (c *cloud) object(pick Pick) bool {
	by := pick.of(people)
	if held := c.opinion(by); !c.isOpen() || held != nil && held.state != schemas.ReviewWithdrawn {
		return false
	}
	c.say(by, schemas.ReviewChangesRequested)
	return true
}

// withdraw: the event has the date of the verdict that it takes back.
func (c *cloud) withdraw(pick Pick) bool {
	by := pick.of(people)
	held := c.opinion(by)
	if !c.isOpen() || held == nil || held.state == schemas.ReviewWithdrawn {
		return false
	}
	event, given := either(held.state == schemas.ReviewApproved, "unapproved", "changes_request_removed"), held.at
	held.state, held.sha, held.at = schemas.ReviewWithdrawn, c.cut(c.head), c.now
	c.updated = c.now
	c.tellVerdict(event, by, given)
	return true
}

func (c *cloud) columns() schemas.PullRequest {
	c.then = c.live(false)
	return schemas.PullRequest{
		RepositoryID: cloudRepository, Repository: cloudName,
		Title: c.title, Body: c.body, Author: author, State: c.state, Draft: c.draft,
		HeadSHA: c.cut(c.head), HeadRef: "watermark", HeadRepositoryID: either(c.forkGone, "", c.source()),
		HeadCommit: schemas.CommitKey("bitbucket.org", c.source(), c.cut(c.head)),
		BaseRef:    c.base, BaseSHA: c.cut(c.baseSHA()), RequestedReviewers: c.reviewers,
		MergeCommitSHA: c.cut(c.mergeCommit), Comments: c.live(false) + c.live(true), CreatedAt: c.createdAt, ProviderUpdatedAt: c.updated,
		Links: c.links(cloudName),
	}
}

func (c *cloud) count(row *schemas.PullRequest) {
	row.Comments += c.live(false) - c.then
	row.ReviewComments = c.live(true)
}

// source is the repository that the head was pushed to.
func (c *cloud) source() string { return either(c.fork, cloudFork, cloudRepository) }

func (c *cloud) tell(happened change) {
	switch happened.what {
	case opened:
		c.send("created", obj{})
	case pushed:
		c.send("push", obj{})
	case closed:
		c.send("rejected", obj{})
	case merged:
		c.send("fulfilled", obj{})
	case reviewed:
		event := either(happened.review.state == schemas.ReviewApproved, "approved", "changes_request_created")
		c.tellVerdict(event, happened.name, c.now)
	case commented, commentEdited, commentRemoved, threadResolved:
		c.tellComment(happened)
	default:
		c.send("updated", obj{})
	}
}

func (c *cloud) send(event string, more obj) {
	body := with(obj{"pullrequest": c.pullRequest(), "repository": c.repository(cloudRepository), "actor": c.account(author)}, more)
	d := c.delivery("pullrequest:"+event, body)
	d.Snapshot, d.Kept = true, len(more) > 0
	c.deliver(d)
}

func (c *cloud) tellVerdict(event, by string, given time.Time) {
	field := either(event == "approved" || event == "unapproved", "approval", "changes_request")
	c.send(event, obj{field: obj{"date": given.Format(cloudLayout), "user": c.account(by)}, "actor": c.account(by)})
}

func (c *cloud) delivery(event string, body obj) Delivery {
	header := http.Header{}
	header.Set("X-Event-Key", event)
	header.Set("X-Hook-UUID", "hook")
	header.Set("X-Request-UUID", fmt.Sprintf("request-%d", len(c.deliveries)))
	header.Set("X-Attempt-Number", "1")
	return Delivery{Name: event, Header: header, Body: encode(body), IDHeader: "X-Request-UUID"}
}

func (c *cloud) repository(uuid string) obj {
	return obj{"uuid": "{" + uuid + "}", "full_name": either(uuid == cloudRepository, cloudName, "dan/api")}
}

func (c *cloud) account(name string) obj {
	return obj{"nickname": name, "account_id": "557058:" + name, "uuid": "{user-" + name + "}", "type": "user"}
}

func (c *cloud) accounts(names []string) []obj {
	list := []obj{}
	for _, name := range names {
		list = append(list, c.account(name))
	}
	return list
}

func (c *cloud) pullRequest() obj {
	participants := []obj{}
	for _, name := range people {
		var state any
		if held := c.opinion(name); held != nil && held.state != schemas.ReviewWithdrawn {
			state = string(held.state)
		}
		participants = append(participants, obj{"user": c.account(name), "state": state, "approved": state == "approved"})
	}
	var source, mergeCommit any = c.repository(c.source()), nil
	if c.forkGone {
		source = nil
	}
	if c.mergeCommit != "" {
		mergeCommit = obj{"hash": c.cut(c.mergeCommit)}
	}
	state := map[schemas.State]string{schemas.Open: "OPEN", schemas.Closed: "DECLINED", schemas.Merged: "MERGED"}[c.state]
	return obj{
		"id": Number, "title": c.title, "description": c.body, "state": state, "draft": c.draft, "author": c.account(author),
		"source":       obj{"branch": obj{"name": "watermark"}, "commit": obj{"hash": c.cut(c.head)}, "repository": source},
		"destination":  obj{"branch": obj{"name": c.base}, "commit": obj{"hash": c.cut(c.baseSHA())}, "repository": c.repository(cloudRepository)},
		"merge_commit": mergeCommit, "reviewers": c.accounts(c.reviewers), "participants": participants,
		"comment_count": c.live(false) + c.live(true),
		"created_on":    c.createdAt.Format(cloudLayout), "updated_on": c.updated.Format(cloudLayout),
	}
}

// tellComment: a removal moves updated_on and empties the text.
func (c *cloud) tellComment(happened change) {
	said := happened.comment
	event := map[what]string{
		commented: "comment_created", commentEdited: "comment_updated", commentRemoved: "comment_deleted", threadResolved: "comment_resolved",
	}[happened.what]
	if happened.what == threadResolved {
		said = happened.thread.first
	}
	body := obj{
		"id": said.id, "content": obj{"raw": said.body}, "user": c.account(said.author), "deleted": !said.live,
		"created_on": said.createdAt.Format(cloudLayout), "updated_on": said.updateAt.Format(cloudLayout),
	}
	if !said.live {
		body["content"], body["updated_on"] = obj{"raw": ""}, c.now.Format(cloudLayout)
	}
	if said.thread != nil {
		body["inline"] = obj{"path": "a.go", "to": 1}
		if said != said.thread.first {
			body["parent"] = obj{"id": said.thread.first.id}
		}
	}
	if happened.what == threadResolved {
		body["resolution"] = obj{"created_on": c.now.Format(cloudLayout)}
	}
	c.deliver(c.delivery("pullrequest:"+event, obj{
		"pullrequest": obj{"id": Number, "updated_on": c.updated.Format(cloudLayout)}, "repository": c.repository(cloudRepository),
		"actor": c.account(said.author), "comment": body,
	}))
}

// status is sent for the repository that the commit was pushed to.
func (c *cloud) status(pick Pick) bool {
	if c.forkGone {
		return false
	}
	place := c.heads[len(c.heads)-1-pick(min(2, len(c.heads)))]
	s := c.find(schemas.CommitStatus, "", "build-1", place)
	event := "repo:commit_status_updated"
	if !s.runs() {
		event = "repo:commit_status_created"
		s.begin(c.now, schemas.CheckInProgress)
	} else {
		s.end(c.now, pick.of([]string{"SUCCESSFUL", "FAILED", "STOPPED"}))
	}
	d := c.delivery(event, obj{
		"repository": c.repository(c.source()), "actor": c.account("ann"), "commit_status": obj{
			"key": pick.of([]string{"build-1", "BUILD-1"}), "state": either(s.runs(), "INPROGRESS", s.Conclusion), "commit": obj{"hash": s.sha},
			"created_on": s.started.Format(cloudLayout), "updated_on": c.now.Format(cloudLayout),
		},
	})
	d.Kept = true
	c.deliver(d)
	return true
}
