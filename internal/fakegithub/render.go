package fakegithub

import (
	"fmt"
	"strings"
	"time"
)

type object = map[string]any

func renderUser(login string) object {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return object{"login": login, "id": idOf(login), "type": kind}
}

// idOf makes a small number of a login, the same one each time.
func idOf(login string) int64 {
	var id int64 = 7
	for _, c := range []byte(login) {
		id = (id*31 + int64(c)) % 1_000_000_007
	}
	return id
}

func renderRepository(repo *repository) object {
	owner, name, _ := strings.Cut(repo.name, "/")
	return object{
		"id": repo.id, "name": name, "full_name": repo.name, "private": false,
		"owner": renderUser(owner), "default_branch": "main",
	}
}

func renderLabels(labels []string) []object {
	rendered := make([]object, 0, len(labels))
	for _, label := range labels {
		rendered = append(rendered, object{"id": idOf(label), "name": label, "color": "ededed", "default": false})
	}
	return rendered
}

func renderPull(repo *repository, pr *pull) object {
	state := "open"
	if pr.Closed {
		state = "closed"
	}
	author := renderUser(pr.Author)
	if pr.AuthorIsBot {
		author["type"] = "Bot"
	}
	rendered := renderRepository(repo)
	return object{
		"id": repo.id*1_000_000 + int64(pr.Number), "node_id": nodeOf(repo, pr), "number": pr.Number, "state": state, "locked": false,
		"title": pr.Title, "body": orNull(pr.Body), "user": author, "labels": renderLabels(pr.Labels),
		"draft": pr.Draft, "merged": pr.Merged, "mergeable": !pr.Closed && pr.Blocked == "",
		"merge_commit_sha": orNull(pr.MergeCommitSHA), "milestone": nil, "auto_merge": renderAutoMerge(pr),
		"requested_reviewers": renderUsers(pr.people), "requested_teams": renderTeams(pr.teams), "assignees": []object{},
		"head":     object{"ref": pr.HeadRef, "sha": pr.HeadSHA, "label": pr.HeadRef, "repo": rendered},
		"base":     object{"ref": pr.BaseRef, "sha": pr.BaseSHA, "label": pr.BaseRef, "repo": rendered},
		"html_url": fmt.Sprintf("https://github.com/%s/pull/%d", repo.name, pr.Number),
		"comments": len(pr.comments), "review_comments": 0, "commits": 1, "additions": 1, "deletions": 0, "changed_files": 1,
		"created_at": moment(pr.CreatedAt), "updated_at": moment(pr.UpdatedAt),
		"closed_at": moment(pr.ClosedAt), "merged_at": moment(pr.MergedAt),
	}
}

func renderComment(repo *repository, pr *pull, comment Comment) object {
	return object{
		"id": comment.ID, "body": comment.Body, "user": renderUser(comment.Author),
		"html_url":   fmt.Sprintf("https://github.com/%s/pull/%d#issuecomment-%d", repo.name, pr.Number, comment.ID),
		"created_at": moment(comment.CreatedAt), "updated_at": moment(comment.UpdatedAt),
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// moment renders a time as GitHub does: whole seconds, Z, null for none.
func moment(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}
