package bitbucket

import (
	"cmp"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// cloudRepositoryPayload is the payload of repo:updated, repo:transfer and
// repo:deleted. Neither has a time of the change.
type cloudRepositoryPayload struct {
	Repository cloudRepository `json:"repository"`
	Actor      *account        `json:"actor"`
	Changes    struct {
		FullName struct {
			New string `json:"new"`
		} `json:"full_name"`
	} `json:"changes"`
}

func decodeCloudRepository(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	change := schemas.RepositoryNamed
	switch record.Action {
	case "updated", "transfer":
	case "deleted":
		change = schemas.RepositoryDeleted
	default:
		return notFolded(event, record), nil
	}
	var said cloudRepositoryPayload
	if err := read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := checkRepository(record, said.Repository); err != nil {
		return schemas.Event{}, err
	}
	instance, id := payload.Instance(record.Key), said.Repository.id()
	event.Entity = schemas.RepositoryKey(instance, id)
	event.Sender = actorOf(said.Actor)
	name := payload.Clean(cmp.Or(said.Changes.FullName.New, said.Repository.FullName))
	if name == "" && change == schemas.RepositoryNamed {
		event.Ignored = "the payload does not name the repository"
		return event, nil
	}
	event.Repository = &schemas.RepositorySnapshot{
		Instance:     instance,
		RepositoryID: id,
		Repository:   name,
		Change:       change,
		Private:      payload.Scalar(said.Repository.IsPrivate),
		UpdatedAt:    said.Repository.UpdatedOn.Stated(),
	}
	return event, nil
}
