package github

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// mergeGroupPayload is the payload of event merge_group. It has no clock.
type mergeGroupPayload struct {
	Action     string `json:"action"`
	Reason     string `json:"reason"` // of destroyed: merged, invalidated, dequeued
	MergeGroup struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseRef string `json:"base_ref"`
	} `json:"merge_group"`
	Repository repository `json:"repository"`
	Sender     *user      `json:"sender"`
}

// The actions of a merge group.
const (
	mergeGroupRequested = "checks_requested"
	mergeGroupDestroyed = "destroyed"
)

func decodeMergeGroup(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said mergeGroupPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = actorOf(said.Sender)
	if event.Action != mergeGroupRequested && event.Action != mergeGroupDestroyed {
		event.Ignored = notFolded(event.Action, "a merge group")
		return event, nil
	}
	if err := checkCommit(record.Event, said.Repository, said.MergeGroup.HeadSHA, "merge_group.head_sha"); err != nil {
		return schemas.Event{}, err
	}
	group := &schemas.MergeGroupSnapshot{
		Instance:     payload.Instance(record.Key),
		RepositoryID: itoa(said.Repository.ID),
		Repository:   payload.Clean(said.Repository.FullName),
		SHA:          payload.Clean(said.MergeGroup.HeadSHA),
		HeadRef:      payload.Clean(said.MergeGroup.HeadRef),
		BaseRef:      payload.Clean(said.MergeGroup.BaseRef),
		Destroyed:    event.Action == mergeGroupDestroyed,
	}
	if group.Destroyed {
		group.Reason = payload.Clean(said.Reason)
	}
	event.Entity = schemas.CommitKey(group.Instance, group.RepositoryID, group.SHA)
	event.MergeGroup = group
	return event, nil
}
