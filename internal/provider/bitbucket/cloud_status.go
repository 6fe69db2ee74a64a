package bitbucket

import (
	"cmp"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// statusPayload is the payload of repo:commit_status_created and _updated.
type statusPayload struct {
	Repository   cloudRepository `json:"repository"`
	Actor        *account        `json:"actor"`
	CommitStatus commitStatus    `json:"commit_status"`
}

type commitStatus struct {
	cloudCommit

	Key       string         `json:"key"`
	State     string         `json:"state"`
	URL       *string        `json:"url"`
	UpdatedOn payload.Moment `json:"updated_on"`
}

// cloudCommit is the commit of a status. Old payloads have its address alone.
type cloudCommit struct {
	Commit struct {
		Hash string `json:"hash"`
	} `json:"commit"`
	Links struct {
		Commit struct {
			Href string `json:"href"`
		} `json:"commit"`
	} `json:"links"`
}

func (c *cloudCommit) sha() string {
	href := c.Links.Commit.Href
	return cmp.Or(c.Commit.Hash, href[strings.LastIndexByte(href, '/')+1:])
}

func decodeStatus(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said statusPayload
	if err := read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := checkRepository(record, said.Repository); err != nil {
		return schemas.Event{}, err
	}
	status := &said.CommitStatus
	sha := status.sha()
	switch {
	case sha == "":
		return schemas.Event{}, payload.Errorf(eventKey(record), "commit_status.commit.hash is missing")
	case !payload.IsSHA(sha):
		return schemas.Event{}, payload.Errorf(eventKey(record), "commit_status.commit.hash is %q, want a commit", payload.Clean(sha))
	case status.Key == "":
		return schemas.Event{}, payload.Errorf(eventKey(record), "commit_status.key is missing")
	}
	instance, id := payload.Instance(record.Key), said.Repository.id()
	event.Entity = schemas.CommitKey(instance, id, short(sha))
	event.Sender = actorOf(said.Actor)
	event.Check = &schemas.CheckSnapshot{
		Instance:     instance,
		RepositoryID: id,
		Repository:   payload.Clean(said.Repository.FullName),
		SHA:          payload.Clean(short(sha)),
		Kind:         schemas.CommitStatus,
		Name:         strings.ToLower(payload.Clean(status.Key)),
		URL:          payload.Text(status.URL).Value,
		UpdatedAt:    status.UpdatedOn.Stated(),
	}
	status.conclude(event.Check)
	return event, nil
}

// conclude says how far the status is. A state that we do not know is
// unfinished: it must not turn a commit green or red.
func (s *commitStatus) conclude(check *schemas.CheckSnapshot) {
	check.Status, check.State = schemas.CheckInProgress, schemas.ChecksPending
	switch s.State {
	case "SUCCESSFUL":
		check.Status, check.State = schemas.CheckCompleted, schemas.ChecksSuccess
	case "FAILED", "STOPPED":
		check.Status, check.State = schemas.CheckCompleted, schemas.ChecksFailure
	default:
		return
	}
	check.Conclusion = payload.Clean(s.State)
}
