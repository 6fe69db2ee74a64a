package bitbucket

import (
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// person is a user of a Data Center. The name is what people log in with.
type person struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func (p person) actor() schemas.Actor {
	return schemas.Actor{Login: payload.Clean(p.Name), IsBot: p.Type == "SERVICE"}
}

func personOf(p *person) schemas.Actor {
	if p == nil {
		return schemas.Actor{}
	}
	return p.actor()
}

// dcRepository is a repository of a Data Center. Its id stays when it is renamed
// or moved to another project.
type dcRepository struct {
	ID      int64  `json:"id"`
	Slug    string `json:"slug"`
	Public  *bool  `json:"public"`
	Project struct {
		Key string `json:"key"`
	} `json:"project"`
}

// fullName is the project's key and the slug, as they stand in a clone URL:
// PRJ/my-repo.
func (r *dcRepository) fullName() string {
	if r.Project.Key == "" || r.Slug == "" {
		return ""
	}
	return payload.Clean(r.Project.Key + "/" + r.Slug)
}

// dcRouting is the few fields that make a key.
type dcRouting struct {
	PullRequest struct {
		ID    int64 `json:"id"`
		ToRef struct {
			Repository dcRepository `json:"repository"`
		} `json:"toRef"`
	} `json:"pullRequest"`
	Repository dcRepository `json:"repository"`
	New        dcRepository `json:"new"` // of repo:modified
}

func routeDataCenter(instance, event, action string, body []byte) (schemas.EntityKey, string, error) {
	var routed dcRouting
	if err := payload.ReadRouting(body, &routed); err != nil {
		return "", "", err
	}
	repository := routed.repository(event, action)
	id, name, number := itoa(repository.ID), repository.fullName(), routed.PullRequest.ID
	switch {
	case repository.ID <= 0:
		return schemas.InstanceKey(instance), "", nil
	case event == eventPR && number > 0:
		return schemas.PullRequestKey(instance, id, number), payload.Subject(name, "#"+itoa(number)), nil
	}
	return schemas.RepositoryKey(instance, id), name, nil
}

// repository returns the repository that an event is of. New is a project in
// project:modified, with ids of its own.
func (r *dcRouting) repository(event, action string) *dcRepository {
	switch {
	case event == eventPR:
		return &r.PullRequest.ToRef.Repository
	case event == eventRepo && action == "modified":
		return &r.New
	}
	return &r.Repository
}

func decodeDataCenter(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	switch {
	case record.Event == eventPR && strings.HasPrefix(record.Action, dcCommentPrefix):
		return decodeDCComment(event, record)
	case record.Event == eventPR:
		return decodeDCPullRequest(event, record)
	case record.Event == eventRepo && record.Action == "modified":
		return decodeDCRepository(event, record)
	}
	return notFolded(event, record), nil
}
