package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// userURLs and repositoryURLs are the address fields that make a real payload
// as large as it is: three repositories and a handful of users in each.
var (
	userURLs = strings.Fields(`url html_url followers_url following_url gists_url starred_url subscriptions_url
		organizations_url repos_url events_url received_events_url avatar_url`)
	repositoryURLs = strings.Fields(`html_url url forks_url keys_url collaborators_url teams_url hooks_url
		issue_events_url events_url assignees_url branches_url tags_url blobs_url git_tags_url git_refs_url trees_url
		statuses_url languages_url stargazers_url contributors_url subscribers_url subscription_url commits_url
		git_commits_url comments_url issue_comment_url contents_url compare_url merges_url archive_url downloads_url
		issues_url pulls_url milestones_url notifications_url labels_url releases_url deployments_url git_url ssh_url
		clone_url svn_url`)
	pullRequestURLs = strings.Fields(`url html_url diff_url patch_url issue_url commits_url review_comments_url
		review_comment_url comments_url statuses_url`)
)

// step is one delivery of a pull request's life.
type step struct {
	action string
	state  string
	merged bool
	labels []string
	head   int
}

// life is what each pull request of the load goes through, a second apart.
var life = []step{
	{"opened", "open", false, nil, 0},
	{"labeled", "open", false, []string{"area/api"}, 0},
	{"synchronize", "open", false, []string{"area/api"}, 1},
	{"labeled", "open", false, []string{"area/api", "automerge"}, 1},
	{"closed", "closed", true, []string{"area/api", "automerge"}, 1},
}

// Sizes of a body in bytes: a real one is 22 to 28 KB. The small one leaves out
// the head repository (a fork that is gone) and half of each repository's
// addresses, as old and self-hosted versions do.
const (
	large = 24 << 10
	small = 10 << 10
)

// description is of a usual length; it is stored in the row and travels in each
// transition.
var description = strings.Repeat("Why this change is needed, and how it was done. ", 12)

// pullRequest returns a pull_request body of a repository and number, of one of
// the two sizes, with the fields and the nesting of a real one.
func pullRequest(repository, number int, s step, at time.Time, size int) []byte {
	return fmt.Appendf(nil, `{"action":%q,"number":%d,"pull_request":%s,"repository":%s,"sender":%s}`,
		s.action, number, pullRequestObject(repository, number, s, at, size), baseRepository(repository, size), userObject("author"))
}

// baseRepository is the repository that a body of this size shows.
func baseRepository(repository, size int) string {
	addresses := repositoryURLs
	if size < large {
		addresses = repositoryURLs[:len(repositoryURLs)/2]
	}
	return repositoryObject(repository, repositoryName(repository), addresses)
}

func repositoryName(repository int) string { return fmt.Sprintf("acme/service-%d", repository) }

// headOf is the head of a pull request after a number of pushes.
func headOf(number, pushes int) string { return fmt.Sprintf("%040x", number*8+pushes) }

func pullRequestObject(repository, number int, s step, at time.Time, size int) string {
	var b strings.Builder
	name := repositoryName(repository)
	repo := baseRepository(repository, size)
	headRepo := repo
	if size < large {
		headRepo = "null"
	}
	fmt.Fprintf(&b, `{%s,"id":%d,"number":%d,"state":%q,"locked":false,`,
		urls(pullRequestURLs, "https://api.github.com/repos/"+name+"/pulls/"), 1_000_000_000+number, number, s.state)
	fmt.Fprintf(&b, `"title":"Change number %d of the service","user":%s,"body":"%s",`, number, userObject("author"), description)
	fmt.Fprintf(&b, `"created_at":"2026-01-01T00:00:00Z","updated_at":%s,`, timeText(at))
	closed, merged := "null", "null"
	if s.state == "closed" {
		closed = timeText(at)
	}
	if s.merged {
		merged = closed
	}
	fmt.Fprintf(&b, `"closed_at":%s,"merged_at":%s,"merge_commit_sha":null,"assignee":null,"assignees":[],`, closed, merged)
	fmt.Fprintf(&b, `"requested_reviewers":[%s],"requested_teams":[],"labels":[%s],"milestone":null,"draft":false,`,
		userObject("reviewer"), labelObjects(s.labels))
	fmt.Fprintf(&b, `"head":{"label":"acme:change","ref":"change-%d","sha":%q,"user":%s,"repo":%s},`,
		number, headOf(number, s.head), userObject("author"), headRepo)
	fmt.Fprintf(&b, `"base":{"label":"acme:main","ref":"main","sha":"%040x","user":%s,"repo":%s},`,
		repository, userObject("acme"), repo)
	fmt.Fprintf(&b, `"author_association":"CONTRIBUTOR","auto_merge":null,"merged":%t,"mergeable":null,"comments":1,`, s.merged)
	fmt.Fprintf(&b, `"review_comments":2,"commits":%d,"additions":120,"deletions":33,"changed_files":7}`, s.head+1)
	return b.String()
}

// timeText is a time as a body has it, quoted.
func timeText(at time.Time) string { return strconv.Quote(at.UTC().Format(time.RFC3339)) }

func urls(names []string, base string) string {
	fields := make([]string, len(names))
	for i, name := range names {
		fields[i] = fmt.Sprintf(`%q:"%s%s"`, name, base, strings.TrimSuffix(name, "_url"))
	}
	return strings.Join(fields, ",")
}

func userObject(login string) string {
	return fmt.Sprintf(`{"login":%q,"id":21031067,"node_id":"MDQ6VXNlcjIxMDMxMDY3","gravatar_id":"",%s,"type":"User","site_admin":false}`,
		login, urls(userURLs, "https://api.github.com/users/"+login+"/"))
}

func repositoryObject(id int, name string, addresses []string) string {
	return fmt.Sprintf(`{"id":%d,"node_id":"MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=","name":"service","full_name":%q,"private":false,"owner":%s,`+
		`"description":null,"fork":false,%s,"created_at":"2019-05-15T15:19:25Z","updated_at":"2019-05-15T15:19:27Z","size":0,`+
		`"stargazers_count":0,"language":"Go","has_issues":true,"archived":false,"open_issues_count":2,"license":null,"default_branch":"main"}`,
		id, name, userObject("acme"), urls(addresses, "https://api.github.com/repos/"+name+"/"))
}

func labelObjects(names []string) string {
	objects := make([]string, len(names))
	for i, name := range names {
		objects[i] = fmt.Sprintf(`{"id":%d,"url":"https://api.github.com/repos/acme/service/labels/%s","name":%q,"color":"ededed","default":false}`, 100+i, name, name)
	}
	return strings.Join(objects, ",")
}
