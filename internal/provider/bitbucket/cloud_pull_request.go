package bitbucket

import (
	"pawl/internal/provider/payload"
	"pawl/schemas"
)

// cloudPullRequestPayload is the payload of the pullrequest events that are not
// of comments. All carry the whole pull request, and all move updated_on,
// approvals too (so real payloads show).
type cloudPullRequestPayload struct {
	PullRequest    cloudPullRequest `json:"pullrequest"`
	Repository     cloudRepository  `json:"repository"`
	Actor          *account         `json:"actor"`
	Approval       *verdict         `json:"approval"`
	ChangesRequest *verdict         `json:"changes_request"`
}

// cloudPullRequest is the snapshot. A pointer that blankCloudPullRequest sets is
// nil where the field is null, and empty where it is absent.
type cloudPullRequest struct {
	ID           int64            `json:"id"`
	Title        *string          `json:"title"`
	Description  payload.Nullable `json:"description"`
	Summary      content          `json:"summary"`
	State        *string          `json:"state"`
	Draft        *bool            `json:"draft"`
	Author       *account         `json:"author"`
	Source       cloudSide        `json:"source"`
	Destination  cloudSide        `json:"destination"`
	MergeCommit  *hashed          `json:"merge_commit"`
	Reviewers    []*account       `json:"reviewers"`
	Participants []*participant   `json:"participants"`
	CommentCount *int64           `json:"comment_count"`
	CreatedOn    payload.Moment   `json:"created_on"`
	UpdatedOn    payload.Moment   `json:"updated_on"`
}

// cloudSide is the source or the destination.
type cloudSide struct {
	Branch struct {
		Name *string `json:"name"`
	} `json:"branch"`
	Commit hashed `json:"commit"`
	// Repository is null once the fork is deleted.
	Repository *cloudRepository `json:"repository"`
}

type hashed struct {
	Hash *string `json:"hash"`
}

// content is a text as it was written, beside other forms of it.
type content struct {
	Raw *string `json:"raw"`
}

func blankCloudPullRequest() cloudPullRequest {
	return cloudPullRequest{
		Author:      new(account),
		Source:      cloudSide{Repository: new(cloudRepository)},
		MergeCommit: new(hashed),
	}
}

func decodeCloudPullRequest(event schemas.Event, record schemas.Record) (schemas.Event, error) {
	change := cloudChange(record.Action)
	if change == "" {
		return notFolded(event, record), nil
	}
	said := cloudPullRequestPayload{PullRequest: blankCloudPullRequest()}
	if err := read(record, &said); err != nil {
		return schemas.Event{}, err
	}
	if err := checkCloudPullRequest(record, said.Repository, said.PullRequest.ID); err != nil {
		return schemas.Event{}, err
	}
	if err := said.PullRequest.check(record); err != nil {
		return schemas.Event{}, err
	}
	instance := payload.Instance(record.Key)
	snapshot, err := said.PullRequest.snapshot(record, instance, said.Repository)
	if err != nil {
		return schemas.Event{}, err
	}
	snapshot.Change = change
	event.Entity = schemas.PullRequestKey(instance, snapshot.RepositoryID, snapshot.Number)
	event.Sender = actorOf(said.Actor)
	event.PullRequest = snapshot
	event.Review, err = said.review(record)
	if err != nil {
		return schemas.Event{}, err
	}
	return event, nil
}

// cloudChange is what an event changed, in GitHub's words; empty for an event
// that is not folded. An update does not say what it changed, and a verdict
// changes nothing of the snapshot but its time.
func cloudChange(action string) string {
	switch action {
	case "created":
		return "opened"
	case "push":
		return "synchronize"
	case "fulfilled", "rejected", "superseded":
		return "closed"
	case "updated", approved, unapproved, changesRequested, changesWithdrawn:
		return schemas.ChangeUnknown
	}
	return ""
}

// check names the first field whose value is none that it can have.
func (p *cloudPullRequest) check(record schemas.Record) error {
	if p.Description.Wrong != nil {
		return payload.Errorf(eventKey(record), "pullrequest.description is not a string")
	}
	if source := p.Source.Repository; source != nil && source.UUID != "" && source.id() == "" {
		return payload.Errorf(eventKey(record), "pullrequest.source.repository.uuid is %q, want a UUID", payload.Clean(source.UUID))
	}
	if err := checkSHA(record, "pullrequest.source.commit.hash", p.Source.Commit.Hash); err != nil {
		return err
	}
	return checkSHA(record, "pullrequest.destination.commit.hash", p.Destination.Commit.Hash)
}

func (p *cloudPullRequest) snapshot(record schemas.Record, instance string, repository cloudRepository) (*schemas.PullRequestSnapshot, error) {
	is, err := standingOf(record, "pullrequest.state", p.State)
	if err != nil {
		return nil, err
	}
	id := repository.id()
	return &schemas.PullRequestSnapshot{
		Instance:           instance,
		RepositoryID:       id,
		Repository:         payload.Clean(repository.FullName),
		Number:             p.ID,
		UpdatedAt:          p.UpdatedOn.Stated(),
		Title:              payload.NonEmpty(p.Title),
		Body:               p.body(),
		Author:             p.author(),
		State:              is.state,
		Merged:             is.merged,
		Draft:              payload.Scalar(p.Draft),
		HeadSHA:            shortened(p.Source.Commit.Hash),
		HeadRef:            payload.NonEmpty(p.Source.Branch.Name),
		HeadRepositoryID:   p.headRepositoryID(),
		HeadCommit:         p.headCommit(instance, id),
		BaseRef:            payload.NonEmpty(p.Destination.Branch.Name),
		BaseSHA:            shortened(p.Destination.Commit.Hash),
		RequestedReviewers: payload.Names(p.Reviewers, func(a *account) string { return a.login() }),
		MergeCommitSHA:     p.mergeCommit(),
		Comments:           payload.Scalar(p.CommentCount),
		CreatedAt:          p.CreatedOn.Stated(),
	}, nil
}

// body is the description. Summary holds the same text.
func (p *cloudPullRequest) body() schemas.Stated[string] {
	if p.Description.There {
		return p.Description.Stated()
	}
	return payload.Text(p.Summary.Raw)
}

// author is stated and empty for an account that was deleted.
func (p *cloudPullRequest) author() schemas.Stated[schemas.Actor] {
	switch {
	case p.Author == nil:
		return schemas.Say(schemas.Actor{})
	case p.Author.login() != "":
		return schemas.Say(p.Author.actor())
	}
	return schemas.Stated[schemas.Actor]{}
}

// headRepositoryID is stated and empty where the fork is gone.
func (p *cloudPullRequest) headRepositoryID() schemas.Stated[string] {
	switch {
	case p.Source.Repository == nil:
		return schemas.Say("")
	case p.Source.Repository.id() != "":
		return schemas.Say(p.Source.Repository.id())
	}
	return schemas.Stated[string]{}
}

// headCommit is of the source: Cloud sends a status for the repository that the
// commit was pushed to. Once the fork is gone, only the destination has it.
func (p *cloudPullRequest) headCommit(instance, destination string) schemas.Stated[schemas.EntityKey] {
	sha := shortened(p.Source.Commit.Hash)
	if !sha.Known {
		return schemas.Stated[schemas.EntityKey]{}
	}
	holder := destination
	if source := p.headRepositoryID(); source.Value != "" {
		holder = source.Value
	}
	return schemas.Say(schemas.CommitKey(instance, holder, sha.Value))
}

// mergeCommit is stated and empty while there is none.
func (p *cloudPullRequest) mergeCommit() schemas.Stated[string] {
	if p.MergeCommit == nil {
		return schemas.Say("")
	}
	return shortened(p.MergeCommit.Hash)
}
