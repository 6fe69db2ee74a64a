package payloads

import (
	"path"
	"strings"
)

// rule names the event of the bodies that have some members.
type rule struct {
	members []string
	event   string
}

// first returns the event of the first rule that a body fulfils, or "".
func first(rules []rule, body fields) string {
	for _, rule := range rules {
		if body.has(rule.members...) {
			return rule.event
		}
	}
	return ""
}

// githubEvent returns X-GitHub-Event. The members are those of GitHub's "Webhook
// events and payloads"; what has more of them stands first.
func githubEvent(body fields) string {
	return first([]rule{
		{[]string{"check_run"}, "check_run"},
		{[]string{"check_suite"}, "check_suite"},
		{[]string{"workflow_run"}, "workflow_run"},
		{[]string{"merge_group"}, "merge_group"},
		{[]string{"issue", "comment"}, "issue_comment"},
		{[]string{"pull_request", "review"}, "pull_request_review"},
		{[]string{"pull_request", "thread"}, "pull_request_review_thread"},
		{[]string{"pull_request", "comment"}, "pull_request_review_comment"},
		{[]string{"pull_request"}, "pull_request"},
		{[]string{"zen"}, "ping"},
		{[]string{"sha", "state", "context"}, "status"},
		{[]string{"alert"}, "repository_vulnerability_alert"},
		{[]string{"repositories_added"}, "installation_repositories"},
		{[]string{"ref_type", "master_branch"}, "create"},
		{[]string{"ref_type"}, "delete"},
		{[]string{"ref", "before", "after"}, "push"},
		{[]string{"repository"}, "repository"},
		{[]string{"installation"}, "installation"},
	}, body)
}

// gitlabKinds are the events that are not called what object_kind or event_name
// says (docs.gitlab.com, "Webhook events").
//
//nolint:gochecknoglobals // a constant table; Go has no constant maps
var gitlabKinds = map[string]string{
	"build":             "Job Hook",
	"access_token":      "Resource Access Token Hook",
	"user_add_to_group": "Member Hook",
	"subgroup_create":   "Subgroup Hook",
	"project_create":    "Project Hook",
}

// gitlabEvent returns X-Gitlab-Event: "Merge Request Hook" for merge_request.
func gitlabEvent(name string, body fields) string {
	if strings.HasPrefix(name, "gitlab/go-gitlab-system/") {
		return "System Hook"
	}
	kind := body.text("object_kind")
	if kind == "" {
		kind = body.text("event_name")
	}
	if event, ok := gitlabKinds[kind]; ok || kind == "" {
		return event
	}
	words := strings.Split(kind, "_")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):]
	}
	event := strings.Join(words, " ") + " Hook"
	if strings.HasPrefix(body.text("event_type"), "confidential_") {
		return "Confidential " + event
	}
	return event
}

// giteaAnswer is no payload: it is what Gitea's REST API says of the pull request
// that a comment is under. It is sent as what its name says.
const giteaAnswer = "gitea/jenkins-x/pull_request_comment_created_pr.json"

// giteaType returns X-Gitea-Event-Type, the finer of the two names (Gitea,
// modules/webhook and services/webhook). A review says it itself.
func giteaType(name string, body fields) string {
	switch {
	case name == giteaAnswer:
		return "pull_request_comment"
	case body.has("review"):
		return body.within("review").text("type")
	case body.has("issue", "comment") && body.within("issue").has("pull_request"):
		return "pull_request_comment"
	}
	event := first([]rule{
		{[]string{"issue", "comment"}, "issue_comment"},
		{[]string{"issue"}, "issues"},
		{[]string{"pull_request"}, "pull_request"},
		{[]string{"forkee"}, "fork"},
		{[]string{"release"}, "release"},
		{[]string{"organization"}, "repository"},
		{[]string{"ref_type", "pusher_type"}, "delete"},
		{[]string{"ref_type"}, "create"},
		{[]string{"ref", "before", "after"}, "push"},
	}, body)
	ending := giteaEnding(body.text("action"))
	switch {
	case event == "issues" && ending != "":
		return "issue" + ending
	case event == "pull_request":
		return event + ending
	}
	return event
}

// giteaEnding is what an action adds to the type of its event.
func giteaEnding(action string) string {
	switch action {
	case "assigned", "unassigned":
		return "_assign"
	case "label_updated", "label_cleared":
		return "_label"
	case "milestoned", "demilestoned":
		return "_milestone"
	case "synchronized":
		return "_sync"
	}
	return ""
}

// giteaEvent returns X-Gitea-Event of a type (Gitea, HookEventType.Event).
func giteaEvent(kind string) string {
	switch kind {
	case "issue_assign", "issue_label", "issue_milestone":
		return "issues"
	case "pull_request_comment":
		return "issue_comment"
	case "pull_request_assign", "pull_request_label", "pull_request_milestone", "pull_request_sync":
		return "pull_request"
	case "pull_request_review_approved", "pull_request_review_rejected", "pull_request_review_comment":
		return strings.Replace(kind, "_review", "", 1)
	}
	return kind
}

// bitbucketNames are the beginnings of names whose event key is not the name
// itself, the longest first (Atlassian, "Event payloads").
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var bitbucketNames = [...]struct{ begins, key string }{
	{"pull_request_approval_removed", "pullrequest:unapproved"},
	{"pull_request_declined", "pullrequest:rejected"},
	{"pull_request_merged", "pullrequest:fulfilled"},
	{"pr_declined", "pullrequest:rejected"},
	{"pipeline_hook_created", "repo:commit_status_created"},
	{"pipeline_hook_update", "repo:commit_status_updated"},
	{"commit_comment_created", "repo:commit_comment_created"},
	{"push", "repo:push"},
}

// bitbucketKey returns X-Event-Key. Data Center writes it into the body.
func bitbucketKey(name string, body fields) string {
	if key := body.text("eventKey"); key != "" {
		return key
	}
	name = strings.ReplaceAll(strings.TrimSuffix(path.Base(name), ".json"), "-", "_")
	for _, known := range bitbucketNames {
		if strings.HasPrefix(name, known.begins) {
			return known.key
		}
	}
	for _, of := range []struct{ prefix, event string }{
		{"pull_request_", "pullrequest:"},
		{"pr_", "pullrequest:"},
		{"repo_", "repo:"},
		{"issue_", "issue:"},
	} {
		if action, ok := strings.CutPrefix(name, of.prefix); ok {
			return of.event + action
		}
	}
	return ""
}
