package bitbucket

import (
	"cmp"
	"strings"

	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// account is a user, a team or an app of Cloud. Cloud gives no username since
// 2019; what people call each other is the nickname, which need not be unique.
type account struct {
	Nickname    string `json:"nickname"`
	Username    string `json:"username"`
	DisplayName string `json:"display_name"`
	AccountID   string `json:"account_id"`
	UUID        string `json:"uuid"`
	Type        string `json:"type"`
}

// login is the first of the names that an account has.
func (a account) login() string {
	return cmp.Or(a.Nickname, a.Username, a.DisplayName, a.AccountID, bare(a.UUID))
}

// id is what does not change when the account is renamed. Apps and teams have
// no account_id, all have a uuid.
func (a account) id() string { return cmp.Or(bare(a.UUID), a.AccountID, a.login()) }

func (a account) actor() schemas.Actor {
	return schemas.Actor{Login: payload.Clean(a.login()), IsBot: a.Type == "app_user"}
}

func actorOf(a *account) schemas.Actor {
	if a == nil {
		return schemas.Actor{}
	}
	return a.actor()
}

// cloudRepository is a repository of Cloud. Its uuid stays when it is renamed or
// transferred.
type cloudRepository struct {
	UUID      string         `json:"uuid"`
	FullName  string         `json:"full_name"`
	IsPrivate *bool          `json:"is_private"`
	UpdatedOn payload.Moment `json:"updated_on"`
}

// id returns the uuid without its braces, or "" where it is none.
func (r cloudRepository) id() string {
	id := bare(r.UUID)
	if !isUUID(id) {
		return ""
	}
	return payload.Clean(id)
}

// bare returns a uuid without the braces that Cloud writes around it: braces
// have to be escaped in a URL, and a key stands in many.
func bare(uuid string) string { return strings.TrimSuffix(strings.TrimPrefix(uuid, "{"), "}") }

const maxUUID = 64

func isUUID(text string) bool {
	return text != "" && len(text) <= maxUUID && !strings.ContainsFunc(text, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}

// checkRepository holds the repository that a payload is of against what a key
// can be.
func checkRepository(record schemas.Record, repository cloudRepository) error {
	switch {
	case repository.UUID == "":
		return payload.Errorf(eventKey(record), "repository.uuid is missing")
	case repository.id() == "":
		return payload.Errorf(eventKey(record), "repository.uuid is %q, want a UUID", payload.Clean(repository.UUID))
	}
	return nil
}

func checkCloudPullRequest(record schemas.Record, repository cloudRepository, number int64) error {
	if err := checkRepository(record, repository); err != nil {
		return err
	}
	switch {
	case number == 0:
		return payload.Errorf(eventKey(record), "pullrequest.id is missing")
	case number < 0:
		return payload.Errorf(eventKey(record), "pullrequest.id is %d, want a positive number", number)
	}
	return nil
}

// shortSHA is the length to which Cloud cuts the commits of pull requests.
const shortSHA = 12

// short cuts a commit to what Cloud gives of it everywhere: 12 digits in pull
// requests, though all 40 in commit statuses. One commit has one key.
func short(sha string) string { return sha[:min(len(sha), shortSHA)] }

func shortened(sha *string) schemas.Stated[string] {
	if sha == nil || *sha == "" {
		return schemas.Stated[string]{}
	}
	return schemas.Say(payload.Clean(short(*sha)))
}

// cloudRouting is the few fields that make a key.
type cloudRouting struct {
	Repository  cloudRepository `json:"repository"`
	PullRequest struct {
		ID int64 `json:"id"`
	} `json:"pullrequest"`
	CommitStatus cloudCommit `json:"commit_status"`
}

func routeCloud(instance, event, action string, body []byte) (schemas.EntityKey, string, error) {
	var routed cloudRouting
	if err := payload.ReadRouting(body, &routed); err != nil {
		return "", "", err
	}
	id, name := routed.Repository.id(), routed.Repository.FullName
	sha := routed.CommitStatus.sha()
	switch {
	case id == "":
		return schemas.InstanceKey(instance), "", nil
	case event == eventPullRequest && routed.PullRequest.ID > 0:
		return schemas.PullRequestKey(instance, id, routed.PullRequest.ID), payload.Subject(name, "#"+itoa(routed.PullRequest.ID)), nil
	case event == eventRepo && isStatus(action) && payload.IsSHA(sha):
		return schemas.CommitKey(instance, id, short(sha)), payload.Subject(name, "@"+short(sha)), nil
	}
	return schemas.RepositoryKey(instance, id), name, nil
}

func isStatus(action string) bool {
	return action == "commit_status_created" || action == "commit_status_updated"
}

func decodeCloud(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	switch record.Event {
	case eventPullRequest:
		if strings.HasPrefix(record.Action, commentPrefix) {
			return decodeCloudComment(event, record)
		}
		return decodeCloudPullRequest(event, record)
	case eventRepo:
		if isStatus(record.Action) {
			return decodeStatus(event, record)
		}
		return decodeCloudRepository(event, record)
	}
	return notFolded(event, record), nil
}
