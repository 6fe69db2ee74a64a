package gitlab

import (
	"cmp"
	"strconv"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// The events that are folded, beside those of system hooks (decode_project.go).
const (
	eventMergeRequest = "merge_request"
	eventNote         = "note"
	eventPipeline     = "pipeline"
)

// project is the project that a payload is about: the target of a merge request.
type project struct {
	ID   int64  `json:"id"`
	Path string `json:"path_with_namespace"`
}

// places are the ids that payloads name a project by, the most exact first. Each
// may be absent.
type places struct {
	exact   int64 // target_project_id or source_project_id of a merge request
	project int64 // project.id
	top     int64 // project_id
}

// id returns the id that makes the key, or 0. An id below 0 is none.
func (p places) id() int64 {
	return cmp.Or(max(p.exact, 0), max(p.project, 0), max(p.top, 0))
}

// check names the id that is none.
func (p places) check(event, exact string) error {
	for _, place := range []struct {
		path string
		id   int64
	}{{exact, p.exact}, {"project.id", p.project}, {"project_id", p.top}} {
		if place.id < 0 {
			return payload.Errorf(event, "%s is %d, want a positive number", place.path, place.id)
		}
	}
	if p.id() == 0 {
		return payload.Errorf(event, "project.id and project_id are missing")
	}
	return nil
}

// checkNumber holds a number against what a key can have.
func checkNumber(event, path string, number int64) error {
	switch {
	case number == 0:
		return payload.Errorf(event, "%s is missing", path)
	case number < 0:
		return payload.Errorf(event, "%s is %d, want a positive number", path, number)
	}
	return nil
}

// routing is the few fields that make a key and a name. They are read from the
// body in one pass over it, which is also what tells whether it is JSON.
type routing struct {
	ObjectKind string  `json:"object_kind"`
	EventName  string  `json:"event_name"`
	Action     string  `json:"action"`
	ProjectID  int64   `json:"project_id"`
	Path       string  `json:"path_with_namespace"` // of system hooks
	Project    project `json:"project"`
	Attributes struct {
		Action          string `json:"action"`
		IID             int64  `json:"iid"`
		TargetProjectID int64  `json:"target_project_id"`
		SHA             string `json:"sha"`
	} `json:"object_attributes"`
	MergeRequest mergeRequestRef `json:"merge_request"`
}

// mergeRequestRef is the partial merge request of a note and of a pipeline. Its
// id is global and names nothing (trap 30).
type mergeRequestRef struct {
	IID             int64 `json:"iid"`
	SourceProjectID int64 `json:"source_project_id"`
	TargetProjectID int64 `json:"target_project_id"`
}

// key returns the partition key and what people call the entity.
func (r *routing) key(instance, event string) (schemas.EntityKey, string) {
	switch event {
	case eventMergeRequest:
		return r.mergeRequestKey(instance, r.Attributes.TargetProjectID, r.Attributes.IID)
	case eventNote:
		return r.mergeRequestKey(instance, r.MergeRequest.TargetProjectID, r.MergeRequest.IID)
	case eventPipeline:
		return r.commitKey(instance)
	}
	return r.projectKey(instance, r.places(0).id())
}

func (r *routing) places(exact int64) places {
	return places{exact: exact, project: r.Project.ID, top: r.ProjectID}
}

func (r *routing) mergeRequestKey(instance string, target, iid int64) (schemas.EntityKey, string) {
	id := r.places(target).id()
	if id == 0 || iid <= 0 {
		return r.projectKey(instance, id)
	}
	return schemas.PullRequestKey(instance, itoa(id), iid), payload.Subject(r.Project.Path, "#"+itoa(iid))
}

// commitKey names the project that the head of a merge request is in: a pipeline
// for a fork's merge request may run in the target project.
func (r *routing) commitKey(instance string) (schemas.EntityKey, string) {
	id := r.places(r.MergeRequest.SourceProjectID).id()
	if id == 0 || !payload.IsSHA(r.Attributes.SHA) {
		return r.projectKey(instance, id)
	}
	return schemas.CommitKey(instance, itoa(id), r.Attributes.SHA), payload.Subject(r.Project.Path, "@"+r.Attributes.SHA)
}

func (r *routing) projectKey(instance string, id int64) (schemas.EntityKey, string) {
	if id == 0 {
		return schemas.InstanceKey(instance), ""
	}
	return schemas.RepositoryKey(instance, itoa(id)), cmp.Or(r.Project.Path, r.Path)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
