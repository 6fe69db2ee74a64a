package payloads

// Flaw is what keeps a sample from being decoded.
type Flaw struct {
	// Field is what the reason of the dead letter names.
	Field string
	// Why says what is wrong with the sample.
	Why string
}

// placeholder is in all of go-playground's pull requests of Bitbucket Cloud.
//
//nolint:gochecknoglobals // a constant; Go has no constant structs
var placeholder = Flaw{"pullrequest.state", "the state is the placeholder of Atlassian's documentation, and none that a pull request has"}

// Undecodable are the samples that end dead, by name. All others must not, and
// these must.
//
//nolint:gochecknoglobals // a constant table; Go has no constant maps
var Undecodable = map[string]Flaw{
	"bitbucket/go-playground/pull-request-approval-removed.json": placeholder,
	"bitbucket/go-playground/pull-request-approved.json":         placeholder,
	"bitbucket/go-playground/pull-request-created.json":          placeholder,
	"bitbucket/go-playground/pull-request-declined.json":         placeholder,
	"bitbucket/go-playground/pull-request-merged.json":           placeholder,
	"bitbucket/go-playground/pull-request-updated.json":          placeholder,
	giteaAnswer: {"repository.id", "it is no payload but an answer of the REST API, which names no repository"},
	"gitlab/go-gitlab/group_merge_request.json": {"project.id", "it was cut by hand: no project has an id in it, and the merge request has no iid"},
}
