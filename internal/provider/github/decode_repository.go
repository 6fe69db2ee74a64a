package github

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// repositoryPayload is the payload of event repository. The name in it is the new
// one, and so is the owner: transferred is sent to the new owner alone.
type repositoryPayload struct {
	Action     string `json:"action"`
	Repository struct {
		ID        int64          `json:"id"`
		FullName  string         `json:"full_name"`
		Private   *bool          `json:"private"`
		UpdatedAt payload.Moment `json:"updated_at"`
	} `json:"repository"`
	Sender *user `json:"sender"`
}

func decodeRepository(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said repositoryPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	event.Action = payload.Action(said.Action, record)
	event.Sender = actorOf(said.Sender)
	change, ok := repositoryChange(event.Action)
	if !ok {
		event.Ignored = notFolded(event.Action, "a repository")
		return event, nil
	}
	if err := checkRepository(record.Event, said.Repository.ID); err != nil {
		return schemas.Event{}, err
	}
	name := payload.Clean(said.Repository.FullName)
	if name == "" && change == schemas.RepositoryNamed {
		return schemas.Event{}, payload.Errorf(record.Event, "repository.full_name is missing")
	}
	snapshot := &schemas.RepositorySnapshot{
		Instance:     payload.Instance(record.Key),
		RepositoryID: itoa(said.Repository.ID),
		Repository:   name,
		Change:       change,
		Private:      payload.Scalar(said.Repository.Private),
		UpdatedAt:    said.Repository.UpdatedAt.Stated(),
	}
	event.Entity = schemas.RepositoryKey(snapshot.Instance, snapshot.RepositoryID)
	event.Repository = snapshot
	return event, nil
}

// repositoryChange returns what an action did to a repository, if it did
// something. Each but deleted shows the repository under its name.
func repositoryChange(action string) (schemas.RepositoryChange, bool) {
	switch action {
	case "created", "renamed", "transferred", "edited", "publicized", "privatized", "archived", "unarchived":
		return schemas.RepositoryNamed, true
	case "deleted":
		return schemas.RepositoryDeleted, true
	}
	return "", false
}
