package gitlab

import (
	"strings"
	"time"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// readMergeRequest is a merge request as the API shows it ("Get single MR"). The
// actuator appends it to the log after a live read, as merge_request beside the
// object_kind; webhooks have object_attributes there. Its fields are named
// otherwise than those of a webhook, and it says more: who wrote it, and when it
// was closed and merged.
type readMergeRequest struct {
	mergeRequest
	ProjectID  int64      `json:"project_id"`
	LabelNames []*string  `json:"labels"`
	Assignees  []*user    `json:"assignees"`
	Reviewers  []*user    `json:"reviewers"`
	SHA        *string    `json:"sha"`
	References references `json:"references"`
}

// references are the names of a merge request: full is acme/api!7.
type references struct {
	Full string `json:"full"`
}

// decodeRead decodes a live read. It states no change.
func decodeRead(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said struct {
		MergeRequest readMergeRequest `json:"merge_request"`
	}
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	read := &said.MergeRequest
	if err := read.check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	event.Action = ""
	event.PullRequest = read.snapshot(payload.Instance(record.Key))
	event.Entity = schemas.PullRequestKey(event.PullRequest.Instance, event.PullRequest.RepositoryID, event.PullRequest.Number)
	if event.Entity != record.Key {
		return schemas.Event{}, payload.Errorf(record.Event, "merge_request is %s, and the record's key is %s", event.Entity, payload.Clean(string(record.Key)))
	}
	return event, nil
}

// asWebhook is the read in the shape of a webhook, for what both have.
func (r *readMergeRequest) asWebhook() mergeRequestPayload {
	attributes := r.mergeRequest
	attributes.LastCommit = &commit{ID: r.SHA}
	path, _, _ := strings.Cut(r.References.Full, "!")
	return mergeRequestPayload{Project: project{Path: path}, ProjectID: r.ProjectID, Attributes: attributes}
}

func (r *readMergeRequest) check(event string) error {
	hook := r.asWebhook()
	return hook.check(event)
}

func (r *readMergeRequest) snapshot(instance string) *schemas.PullRequestSnapshot {
	hook := r.asWebhook()
	snapshot := hook.snapshot(instance, "")
	snapshot.Change = ""
	snapshot.RequestedReviewers = payload.Names(r.Reviewers, (*user).name)
	snapshot.Assignees = payload.Names(r.Assignees, (*user).name)
	snapshot.Labels = payload.Names(r.LabelNames, func(name *string) string { return *name })
	// Webhooks have whole seconds: with a fraction, a later change within the
	// second would look older than the read.
	snapshot.UpdatedAt.Value = snapshot.UpdatedAt.Value.Truncate(time.Second)
	return snapshot
}
