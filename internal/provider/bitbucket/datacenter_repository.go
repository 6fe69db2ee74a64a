package bitbucket

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// dcRepositoryPayload is the payload of repo:modified: the repository before
// and after.
type dcRepositoryPayload struct {
	Date  payload.Moment `json:"date"`
	Actor *person        `json:"actor"`
	New   dcRepository   `json:"new"`
}

func decodeDCRepository(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said dcRepositoryPayload
	if err := read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := payload.CheckPositive(eventKey(record), said.New.ID, "new.id"); err != nil {
		return schemas.Event{}, err
	}
	instance, id := payload.Instance(record.Key), itoa(said.New.ID)
	event.Entity = schemas.RepositoryKey(instance, id)
	event.Sender = personOf(said.Actor)
	name := said.New.fullName()
	if name == "" {
		event.Ignored = "the payload does not name the repository"
		return event, nil
	}
	event.Repository = &schemas.RepositorySnapshot{
		Instance:     instance,
		RepositoryID: id,
		Repository:   name,
		Change:       schemas.RepositoryNamed,
		UpdatedAt:    said.Date.Stated(),
	}
	if said.New.Public != nil {
		event.Repository.Private = schemas.Say(!*said.New.Public)
	}
	return event, nil
}
