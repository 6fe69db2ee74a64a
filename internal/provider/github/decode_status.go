package github

import (
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// statusPayload is the payload of event status: one state of one context of a
// commit. It has an id for each state, and no action.
type statusPayload struct {
	ID         int64          `json:"id"`
	SHA        string         `json:"sha"`
	Context    string         `json:"context"`
	State      string         `json:"state"`
	TargetURL  string         `json:"target_url"`
	UpdatedAt  payload.Moment `json:"updated_at"`
	Action     string         `json:"action"`
	Repository repository     `json:"repository"`
	Sender     *user          `json:"sender"`
}

func decodeStatus(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	var said statusPayload
	if err := payload.Read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	check, err := newCheck(record, said.Repository, said.SHA, "sha")
	if err != nil {
		return schemas.Event{}, err
	}
	check.Kind, check.Name = schemas.CommitStatus, strings.ToLower(payload.Clean(said.Context))
	switch {
	case check.Name == "":
		return schemas.Event{}, payload.Errorf(record.Event, "context is missing")
	case said.State == "":
		return schemas.Event{}, payload.Errorf(record.Event, "state is missing")
	}
	check.Attempt = max(said.ID, 0)
	check.URL = payload.Clean(said.TargetURL)
	check.UpdatedAt = said.UpdatedAt.Stated()
	said.setOutcome(check)
	return checked(event, check, payload.Action(said.Action, record), said.Sender), nil
}

// setOutcome reads the state: success, failure and error are final, pending is
// not, and of a word that is not known nothing is sure.
func (p *statusPayload) setOutcome(check *schemas.CheckSnapshot) {
	check.Status, check.State = schemas.CheckInProgress, schemas.ChecksPending
	switch p.State {
	case "success", "failure", "error":
		check.Status, check.State = schemas.CheckCompleted, checkState(p.State)
		check.Conclusion = payload.Clean(p.State)
		check.CompletedAt = check.UpdatedAt
	}
}
