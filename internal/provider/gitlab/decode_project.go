package gitlab

import (
	"cmp"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// projectPayload is the payload of the system hooks about a project.
type projectPayload struct {
	ProjectID  int64          `json:"project_id"`
	Project    project        `json:"project"`
	Path       string         `json:"path_with_namespace"`
	Visibility string         `json:"project_visibility"`
	UpdatedAt  payload.Moment `json:"updated_at"`
}

func decodeProject(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said projectPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	at := places{project: said.Project.ID, top: said.ProjectID}
	if err := at.check(record.Event, ""); err != nil {
		return schemas.Event{}, err
	}
	change, path := projectChange(record.Event), cmp.Or(said.Path, said.Project.Path)
	if change == schemas.RepositoryNamed && path == "" {
		event.Ignored = "the payload does not name the project"
		return event, nil
	}
	instance, id := payload.Instance(record.Key), itoa(at.id())
	event.Entity = schemas.RepositoryKey(instance, id)
	event.Repository = &schemas.RepositorySnapshot{
		Instance:     instance,
		RepositoryID: id,
		Repository:   payload.Clean(path),
		Change:       change,
		Private:      said.private(),
		UpdatedAt:    said.UpdatedAt.Stated(),
	}
	return event, nil
}

func projectChange(event string) schemas.RepositoryChange {
	if event == "project_destroy" {
		return schemas.RepositoryDeleted
	}
	return schemas.RepositoryNamed
}

// private counts an internal project as private: not everybody sees it. Older
// versions write visibilitylevel|private.
func (p *projectPayload) private() schemas.Stated[bool] {
	switch strings.TrimPrefix(p.Visibility, "visibilitylevel|") {
	case "private", "internal":
		return schemas.Say(true)
	case "public":
		return schemas.Say(false)
	}
	return schemas.Stated[bool]{}
}
