package gitea

import (
	"fmt"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// repositoryPayload is the payload of event repository.
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
	repo := &said.Repository
	event.Action = payload.Action(said.Action, record)
	event.Sender = said.Sender.actor()
	change, known := repositoryChange(event.Action)
	if !known {
		event.Ignored = fmt.Sprintf("action %s of a repository is not folded", event.Action)
		return event, nil
	}
	if err := (repository{repo.ID, repo.FullName}).check(record.Event); err != nil {
		return schemas.Event{}, err
	}
	if change == schemas.RepositoryNamed && repo.FullName == "" {
		event.Ignored = "the payload does not say the name of the repository"
		return event, nil
	}
	instance := payload.Instance(record.Key)
	event.Entity = schemas.RepositoryKey(instance, itoa(repo.ID))
	event.Repository = &schemas.RepositorySnapshot{
		Instance:     instance,
		RepositoryID: itoa(repo.ID),
		Repository:   payload.Clean(repo.FullName),
		Change:       change,
		Private:      payload.Scalar(repo.Private),
		UpdatedAt:    repo.UpdatedAt.Stated(),
	}
	return event, nil
}

// repositoryChange reads the action. Gitea sends created and deleted; the others
// are those that would come with a new name.
func repositoryChange(action string) (schemas.RepositoryChange, bool) {
	switch action {
	case "created", "renamed", "transferred":
		return schemas.RepositoryNamed, true
	case "deleted":
		return schemas.RepositoryDeleted, true
	}
	return "", false
}
