package life

import (
	"strings"
	"time"

	"pawl/schemas"
)

// The deliveries of GitLab.

func (g *gitlab) tell(c change) {
	switch c.what {
	case opened:
		g.send("open", obj{"updated_at": changed(nil, g.updated.Format(gitlabLayout))}, nil)
	case closed:
		g.send("close", obj{"state": changed("opened", "closed")}, nil)
	case reopened:
		g.send("reopen", obj{"state": changed("closed", "opened")}, nil)
	case merged:
		at := g.updated.Format(gitlabLayout)
		g.send("merge", obj{"state": changed("locked", "merged"), "updated_at": changed(at, at)}, nil)
	case pushed:
		g.send("update", obj{}, obj{"oldrev": c.before})
	case reviewed:
		g.tellReview(c)
	case commented, commentEdited:
		g.tellNote(c)
	default:
		g.send("update", g.changes(c), nil)
	}
}

// changes says what an update changed.
func (g *gitlab) changes(c change) obj {
	switch c.what {
	case labeled, unlabeled:
		before, _ := toggle(g.labels, c.name)
		return obj{"labels": changed(named("title", before), named("title", g.labels))}
	case assigned, unassigned:
		before, _ := toggle(g.assignees, c.name)
		return obj{"assignees": changed(g.users(before), g.users(g.assignees))}
	case asked, unasked:
		before, _ := toggle(g.reviewers, c.name)
		return obj{"reviewers": changed(g.users(before), g.users(g.reviewers))}
	case milestoned:
		return obj{"milestone_id": changed(nil, 12)}
	case demilestoned:
		return obj{"milestone_id": changed(12, nil)}
	case retitled:
		return obj{"title": changed(c.before, g.fullTitle())}
	case described:
		return obj{"description": changed(c.before, g.body)}
	case retargeted:
		return obj{"target_branch": changed(c.before, g.base)}
	case drafted, readied:
		return obj{"draft": changed(!g.draft, g.draft), "title": changed(either(g.draft, "", "Draft: ")+g.title, g.fullTitle())}
	case locked, unlocked:
		return obj{"discussion_locked": changed(either[any](g.locked, nil, true), either[any](g.locked, true, nil))}
	case autoMergeOn, autoMergeOff:
		return obj{"merge_when_pipeline_succeeds": changed(!g.autoMerge, g.autoMerge)}
	}
	return obj{}
}

// send sends a merge request hook, with the whole merge request.
func (g *gitlab) send(action string, changes, more obj) { g.sendBy(author, action, changes, more) }

func (g *gitlab) sendBy(by, action string, changes, more obj) {
	if by == author && action != "open" {
		by = "ann" // the author acts once, and is named by an id in all the rest
	}
	attributes := with(g.attributes(), more)
	attributes["action"] = action
	body := obj{
		"object_kind": "merge_request", "event_type": "merge_request", "user": g.user(by), "project": g.project(gitlabTarget),
		"object_attributes": attributes, "labels": named("title", g.labels), "changes": changes,
	}
	if len(g.assignees) > 0 {
		body["assignees"] = g.users(g.assignees)
	}
	if len(g.reviewers) > 0 {
		body["reviewers"] = g.users(g.reviewers)
	}
	g.deliver(Delivery{
		Name: "merge_request " + action, Header: g.header("Merge Request Hook"), Body: encode(body), IDHeader: "Idempotency-Key",
		Snapshot: true, Kept: strings.Contains(action, "appro") || changes["reviewers"] != nil,
	})
}

func (g *gitlab) attributes() obj {
	state := map[schemas.State]string{schemas.Open: "opened", schemas.Closed: "closed", schemas.Merged: "merged"}[g.state]
	if g.merging && g.isOpen() {
		state = "locked"
	}
	source := either(g.fork, gitlabSource, gitlabTarget)
	unresolved := g.liveThreads(func(t *thread) bool { return !t.resolved })
	return obj{
		"id": 93, "iid": Number, "title": g.fullTitle(), "description": g.body, "state": state, "draft": g.draft,
		"work_in_progress": g.draft, "target_branch": g.base, "source_branch": "watermark", "target_project_id": gitlabTarget,
		"source_project_id": either[any](g.forkGone, nil, source), "author_id": 10, "assignee_ids": g.ids(g.assignees),
		"reviewer_ids": g.ids(g.reviewers), "milestone_id": either[any](g.milestone == "", nil, 12),
		"merge_when_pipeline_succeeds": g.autoMerge, "merge_commit_sha": orNull(g.mergeCommit),
		"discussion_locked": either[any](g.locked, true, nil), "blocking_discussions_resolved": len(unresolved) == 0,
		"last_commit": obj{"id": g.head, "timestamp": "2015-04-08T21: 00:25-07:00"}, "labels": named("title", g.labels),
		"created_at": g.createdAt.Format(gitlabLayout), "updated_at": g.updated.Format(gitlabLayout),
	}
}

func (g *gitlab) ids(names []string) []any {
	list := []any{}
	for _, name := range names {
		list = append(list, g.user(name)["id"])
	}
	return list
}

func (g *gitlab) tellReview(c change) {
	switch c.review.state {
	case schemas.ReviewApproved:
		g.sendBy(c.name, either(len(g.deliveries)%2 == 0, "approved", "approval"), obj{}, nil)
	case schemas.ReviewWithdrawn:
		g.sendBy(c.name, either(len(g.deliveries)%2 == 0, "unapproved", "unapproval"), obj{}, nil)
	case schemas.ReviewChangesRequested:
		before, after := g.users(g.reviewers), g.users(g.reviewers)
		for i, name := range g.reviewers {
			if name == c.name {
				before[i]["state"], after[i]["state"] = "unreviewed", "requested_changes"
			}
		}
		g.sendBy(c.name, "update", obj{"reviewers": changed(before, after)}, nil)
	case schemas.ReviewCommented, schemas.ReviewDismissed:
	}
}

// tellNote sends a note hook, with a part of the merge request.
func (g *gitlab) tellNote(c change) {
	said := c.comment
	note := obj{
		"id": said.id, "note": said.body, "noteable_type": "MergeRequest", "noteable_id": 93, //nolint:misspell // GitLab's word
		"author_id": g.user(said.author)["id"], "action": either(c.what == commented, "create", "update"), "system": false,
		"created_at": said.createdAt.Format(gitlabLayout), "updated_at": said.updateAt.Format(gitlabLayout),
	}
	if said.thread != nil {
		note["type"], note["position"], note["discussion_id"] = "DiffNote", obj{"new_line": 1}, "discussion-"+said.thread.id
		note["resolved_at"] = nil
	}
	g.deliver(Delivery{Name: "note", Header: g.header("Note Hook"), IDHeader: "Idempotency-Key", Body: encode(obj{
		"object_kind": "note", "event_type": "note", "user": g.user(said.author), "project": g.project(gitlabTarget),
		"object_attributes": note, "merge_request": obj{
			"id": 93, "iid": Number, "target_project_id": gitlabTarget, "source_project_id": gitlabSource, "state": "opened",
			"updated_at": g.updated.Format(gitlabLayout), "title": "not the title",
		},
	})})
}

// pipeline begins one, runs it again under its id, or ends it. A pipeline has no
// clock: what it states while it runs is when it was made, so one that runs again
// after the base moved counts only once it ends.
func (g *gitlab) pipeline(pick Pick) bool {
	if g.forkGone {
		return false
	}
	c := g.find(schemas.PipelineCheck, "gitlab-ci", "pipeline", g.heads[len(g.heads)-1-pick(min(2, len(g.heads)))])
	status := "running"
	switch {
	case c.runs() && c.Status == schemas.CheckQueued && pick(2) == 0:
		c.Status = schemas.CheckInProgress
	case c.runs():
		status = pick.of([]string{"success", "failed", "canceled", "skipped"})
		c.end(g.now, status)
	case c.attempt != 0 && pick(2) == 0:
		c.Status, c.State, c.Conclusion, c.stated = schemas.CheckInProgress, schemas.ChecksPending, "", c.started
	default:
		c.attempt, c.finished, status = g.nextID(), time.Time{}, pick.of([]string{"created", "pending"})
		c.begin(g.now, schemas.CheckQueued)
	}
	g.tellPipeline(c, status, pick)
	return true
}

func (g *gitlab) tellPipeline(c *check, status string, pick Pick) {
	source, project := either(g.fork, gitlabSource, gitlabTarget), gitlabTarget
	var request any
	switch {
	case g.fork && pick(2) == 0:
		project = gitlabSource
	default:
		request = obj{"id": 93, "iid": Number, "source_project_id": source, "target_project_id": gitlabTarget, "state": "opened"}
	}
	g.deliver(Delivery{Name: "pipeline " + status, Header: g.header("Pipeline Hook"), IDHeader: "Idempotency-Key", Kept: true, Body: encode(obj{
		"object_kind": "pipeline", "user": g.user("ann"), "project": g.project(project), "merge_request": request,
		"object_attributes": obj{
			"id": c.attempt, "sha": c.sha, "ref": "watermark", "source": "push", "status": status,
			"created_at":  c.started.Format(gitlabLayout),
			"finished_at": timeOrNull(c.finished, gitlabLayout),
		},
	})})
}
