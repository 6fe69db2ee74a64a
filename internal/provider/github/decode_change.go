package github

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// The actions of a pull request that name something beside the snapshot.
const (
	changeLabeled              = "labeled"
	changeUnlabeled            = "unlabeled"
	changeReviewRequested      = "review_requested"
	changeReviewRequestRemoved = "review_request_removed"
	changeAssigned             = "assigned"
	changeUnassigned           = "unassigned"
	changeMilestoned           = "milestoned"
	changeDemilestoned         = "demilestoned"
	changeEdited               = "edited"
	changeSynchronize          = "synchronize"
	changeEnqueued             = "enqueued"
	changeDequeued             = "dequeued"
)

// setChange says what the action changed. GitHub's words are ours; a payload
// without an action is a read.
func (p *pullRequestPayload) setChange(snapshot *schemas.PullRequestSnapshot, action string) {
	snapshot.Change = action
	snapshot.Touched = p.touched(action)
	snapshot.Edited = p.edited(action)
	snapshot.Queue = p.queue(action)
}

// touched is what the action names beside the snapshot. A team whose review is
// requested is not read.
func (p *pullRequestPayload) touched(action string) string {
	switch action {
	case changeLabeled, changeUnlabeled:
		return nameOf(p.Label)
	case changeReviewRequested, changeReviewRequestRemoved:
		return actorOf(p.RequestedReviewer).Login
	case changeAssigned, changeUnassigned:
		return actorOf(p.Assignee).Login
	case changeMilestoned, changeDemilestoned:
		return titleOf(p.Milestone)
	case changeSynchronize:
		return payload.Clean(p.Before.Value)
	}
	return ""
}

func nameOf(l *label) string {
	if l == nil {
		return ""
	}
	return payload.Clean(l.Name)
}

func titleOf(m *milestone) string {
	if m == nil {
		return ""
	}
	return payload.Text(m.Title).Value
}

// edited names the fields that an edited action changed.
func (p *pullRequestPayload) edited(action string) []string {
	if action != changeEdited || p.Changes == nil {
		return nil
	}
	var fields []string
	for _, field := range []struct {
		name    string
		changed payload.Present
	}{{"title", p.Changes.Title}, {"body", p.Changes.Body}, {"base", p.Changes.Base}} {
		if field.changed {
			fields = append(fields, field.name)
		}
	}
	return fields
}

// queue is the entry into the merge queue, or the removal and its reason.
func (p *pullRequestPayload) queue(action string) *schemas.QueueChange {
	switch action {
	case changeEnqueued:
		return &schemas.QueueChange{Queued: true}
	case changeDequeued:
		return &schemas.QueueChange{Reason: payload.Text(p.Reason).Value}
	}
	return nil
}
