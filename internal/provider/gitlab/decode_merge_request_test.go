package gitlab_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

const fullMergeRequest = `{
  "object_kind": "merge_request", "event_type": "merge_request",
  "user": {"id": 51, "username": "bea", "email": "[REDACTED]"},
  "project": {"id": 101, "path_with_namespace": "acme/api"},
  "object_attributes": {
    "id": 99, "iid": 7, "target_branch": "main", "source_branch": "watermark", "source_project_id": 202, "target_project_id": 101,
    "author_id": 51, "title": "Keep the watermark", "description": "It must not go back.", "milestone_id": null,
    "state": "opened", "state_id": 1, "draft": false, "work_in_progress": false, "merge_when_pipeline_succeeds": true,
    "merge_commit_sha": null, "discussion_locked": null, "blocking_discussions_resolved": true,
    "created_at": "2026-01-01 10:00:00 UTC", "updated_at": "2026-01-01 10:20:33 UTC",
    "last_commit": {"id": "` + shaA + `", "timestamp": "2026-01-01T11:00:00+02:00"},
    "url": "https://gitlab.com/acme/api/-/merge_requests/7", "action": "update"
  },
  "labels": [{"id": 2, "title": "fix"}, {"id": 1, "title": "automerge"}],
  "changes": {
    "updated_at": {"previous": "2026-01-01 10:20:30 UTC", "current": "2026-01-01 10:20:33 UTC"},
    "labels": {"previous": [{"id": 2, "title": "fix"}], "current": [{"id": 2, "title": "fix"}, {"id": 1, "title": "automerge"}]}
  },
  "assignees": [{"id": 6, "username": "cy"}],
  "reviewers": [{"id": 9, "username": "dee", "state": "unreviewed"}, {"id": 8, "username": "ann", "state": "approved"}]
}`

func TestDecode_MergeRequest(t *testing.T) {
	t.Parallel()
	got := decoded(t, "Merge Request Hook", fullMergeRequest)
	want := schemas.Event{
		Entity: "gitlab.com:101#7", Source: "gitlab", DeliveryID: "d-1", Provider: "gitlab", Name: "merge_request",
		Action: "update", Sender: schemas.Actor{Login: "bea"},
		PullRequest: &schemas.PullRequestSnapshot{
			Instance: "gitlab.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
			UpdatedAt:          schemas.Say(at("2026-01-01T10:20:33Z")),
			Title:              schemas.Say("Keep the watermark"),
			Body:               schemas.Say("It must not go back."),
			Author:             schemas.Say(schemas.Actor{Login: "bea"}),
			State:              schemas.Say("open"),
			Merged:             schemas.Say(false),
			Draft:              schemas.Say(false),
			Locked:             schemas.Say(false),
			HeadSHA:            schemas.Say(shaA),
			HeadRef:            schemas.Say("watermark"),
			HeadRepositoryID:   schemas.Say("202"),
			HeadCommit:         schemas.Say(schemas.EntityKey("gitlab.com:202@" + shaA)),
			BaseRef:            schemas.Say("main"),
			Labels:             schemas.Say([]string{"automerge", "fix"}),
			Milestone:          schemas.Say(""),
			RequestedReviewers: schemas.Say([]string{"ann", "dee"}),
			Assignees:          schemas.Say([]string{"cy"}),
			AutoMerge:          schemas.Say(true),
			ThreadsResolved:    schemas.Say(true),
			MergeCommitSHA:     schemas.Say(""),
			CreatedAt:          schemas.Say(at("2026-01-01T10:00:00Z")),
			Change:             "labeled",
			Touched:            "automerge",
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

// Absent is not zero: a payload that says nothing states nothing.
func TestDecode_AbsentIsNotStated(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		mergeRequest("", ""),
		mergeRequest(`,"title":null,"state":null,"draft":null,"labels":null,"last_commit":null,"updated_at":null`, `,"labels":null,"assignees":null,"changes":null`),
		mergeRequest(`,"title":"","source_branch":"","target_branch":"","last_commit":{"id":""},"state":"Opened","milestone_id":5`, `,"changes":{}`),
	} {
		event := decoded(t, "Merge Request Hook", body)
		want := &schemas.PullRequestSnapshot{
			Instance: "gitlab.com", RepositoryID: "101", Repository: "acme/api", Number: 7, Change: schemas.ChangeUnknown,
		}
		if diff := cmp.Diff(event.PullRequest, want); diff != "" {
			t.Errorf("Decode(%s) (-got +want):\n%s", body, diff)
		}
		if event.Action != "" || event.Review != nil || event.Sender != (schemas.Actor{}) {
			t.Errorf("action %q, review %v, sender %v, want none", event.Action, event.Review, event.Sender)
		}
	}
}

// field is one field of a snapshot, for a table.
func field[T any](stated schemas.Stated[T]) string {
	if !stated.Known {
		return "unknown"
	}
	return fmt.Sprintf("%v", stated.Value)
}

func TestDecode_Fields(t *testing.T) {
	t.Parallel()
	zero := field(schemas.Say(time.Time{}))
	type snapshot = *schemas.PullRequestSnapshot
	state := func(s snapshot) string { return field(s.State) + " " + field(s.Merged) }
	author := func(s snapshot) string { return field(s.Author) }
	tests := []struct {
		name   string
		fields string
		beside string
		get    func(s snapshot) string
		want   string
	}{
		{"description null is empty", `"description":null`, "", func(s snapshot) string { return field(s.Body) }, ""},
		{"NUL is dropped", `"title":"a\u0000b"`, "", func(s snapshot) string { return field(s.Title) }, "ab"},
		{"bytes that are not UTF-8", "\"title\":\"a\xffb\"", "", func(s snapshot) string { return field(s.Title) }, "a\ufffdb"},
		{"opened", `"state":"opened"`, "", state, "open false"},
		{"closed", `"state":"closed"`, "", state, "closed false"},
		{"merged", `"state":"merged"`, "", state, "closed true"},
		{"a state from the future", `"state":"parked"`, "", state, "unknown unknown"},
		{"merge without a state", `"action":"merge"`, "", state, "closed true"},
		{"merge with a state that denies it", `"action":"merge","state":"opened"`, "", state, "open false"},
		{"draft", `"draft":true,"work_in_progress":false`, "", func(s snapshot) string { return field(s.Draft) }, "true"},
		{"draft under its old name", `"work_in_progress":true`, "", func(s snapshot) string { return field(s.Draft) }, "true"},
		{"locked", `"discussion_locked":true`, "", func(s snapshot) string { return field(s.Locked) }, "true"},
		{"not locked", `"discussion_locked":false`, "", func(s snapshot) string { return field(s.Locked) }, "false"},
		{"fork gone", `"source_project_id":null,"last_commit":{"id":"` + shaA + `"}`, "", func(s snapshot) string { return field(s.HeadRepositoryID) + "|" + field(s.HeadCommit) }, "|gitlab.com:101@" + shaA},
		{"head in a place that is not stated", `"last_commit":{"id":"` + shaA + `"}`, "", func(s snapshot) string { return field(s.HeadRepositoryID) + "|" + field(s.HeadCommit) }, "unknown|gitlab.com:101@" + shaA},
		{"labels at the top", `"labels":[{"title":"old"}]`, `,"labels":[{"title":"b"},{"title":"a"},null,{}]`, func(s snapshot) string { return field(s.Labels) }, "[a b]"},
		{"labels of the attributes", `"labels":[{"title":"a"}]`, "", func(s snapshot) string { return field(s.Labels) }, "[a]"},
		{"labels empty", `"title":"t"`, `,"labels":[]`, func(s snapshot) string { return field(s.Labels) }, "[]"},
		{"assignees left out and emptied", `"title":"t"`, `,"changes":{"assignees":{"previous":[{"username":"cy"}],"current":[]}}`, func(s snapshot) string { return field(s.Assignees) }, "[]"},
		{"assignees left out, ids empty", `"assignee_ids":[]`, "", func(s snapshot) string { return field(s.Assignees) }, "[]"},
		{"assignees left out, ids there", `"assignee_ids":[6]`, "", func(s snapshot) string { return field(s.Assignees) }, "unknown"},
		{"reviewers left out, ids empty", `"reviewer_ids":[]`, "", func(s snapshot) string { return field(s.RequestedReviewers) }, "[]"},
		{"milestone with a title", `"milestone_id":5,"milestone":{"title":"1.0"}`, "", func(s snapshot) string { return field(s.Milestone) }, "1.0"},
		{"auto-merge", `"merge_when_pipeline_succeeds":false`, "", func(s snapshot) string { return field(s.AutoMerge) }, "false"},
		{"threads", `"blocking_discussions_resolved":false`, "", func(s snapshot) string { return field(s.ThreadsResolved) }, "false"},
		{"merge commit", `"merge_commit_sha":"` + shaB + `"`, "", func(s snapshot) string { return field(s.MergeCommitSHA) }, shaB},
		{"times that a template adds", `"merged_at":"2026-01-01 00:00:00 UTC","closed_at":null`, "", func(s snapshot) string { return field(s.MergedAt) + "|" + field(s.ClosedAt) }, "2026-01-01 00:00:00 +0000 UTC|" + zero},
		{"merging invents no time", `"action":"merge","state":"merged","updated_at":"2026-01-01 00:00:00 UTC"`, "", func(s snapshot) string { return field(s.MergedAt) + "|" + field(s.ClosedAt) }, "unknown|unknown"},
		{"time of the documentation", `"updated_at":"2013-12-03T17:23:34Z"`, "", func(s snapshot) string { return field(s.UpdatedAt) }, "2013-12-03 17:23:34 +0000 UTC"},
		{"time of a system hook", `"updated_at":"2017-09-28T12:23:42.365Z"`, "", func(s snapshot) string { return field(s.UpdatedAt) }, "2017-09-28 12:23:42.365 +0000 UTC"},
		{"time with an offset", `"updated_at":"2021-04-28 21:50:00 +0200"`, "", func(s snapshot) string { return field(s.UpdatedAt) }, "2021-04-28 19:50:00 +0000 UTC"},
		{"time in a zone that is only named", `"updated_at":"2021-04-28 21:50:00 CET"`, "", func(s snapshot) string { return field(s.UpdatedAt) }, "unknown"},
		{"author by action open", `"action":"open"`, `,"user":{"username":"bea"}`, author, "{bea false}"},
		{"opened by another", `"action":"open","author_id":51`, `,"user":{"id":52,"username":"cy"}`, author, "unknown"},
		{"author acts", `"action":"update","author_id":51`, `,"user":{"id":51,"username":"bea"}`, author, "{bea false}"},
		{"author among the assignees", `"action":"update","author_id":51`, `,"user":{"id":52,"username":"cy"},"assignees":[{"id":51,"username":"bea"}]`, author, "{bea false}"},
		{"who acts is not the author", `"action":"update"`, `,"user":{"username":"cy"}`, author, "unknown"},
		{"author object", `"author":{"username":"bea"}`, `,"user":{"username":"cy"}`, author, "{bea false}"},
		{"bot of a project", `"action":"open"`, `,"user":{"username":"project_17_bot_6ab3"}`, author, "{project_17_bot_6ab3 true}"},
		{"bot of a group, older name", `"action":"open"`, `,"user":{"username":"group_17_bot1"}`, author, "{group_17_bot1 true}"},
		{"service account", `"action":"open"`, `,"user":{"username":"service_account_group_3_aa"}`, author, "{service_account_group_3_aa true}"},
		{"a person named after a project", `"action":"open"`, `,"user":{"username":"project_bot"}`, author, "{project_bot false}"},
		{"what nobody reads may be of any type", `"id":"x","state_id":[],"title":"t"`, "", func(s snapshot) string { return field(s.Title) }, "t"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.get(snapshotOf(t, mergeRequest(","+test.fields, test.beside))); got != test.want {
				t.Errorf("Decode(%s%s) = %q, want %q", test.fields, test.beside, got, test.want)
			}
		})
	}
}

func TestDecode_Change(t *testing.T) {
	t.Parallel()
	const labels = `"labels":{"previous":[{"title":"a"}],"current":[{"title":"a"},{"title":"b"}]}`
	tests := []struct {
		name    string
		fields  string
		changes string
		word    string
		touched string
		edited  []string
	}{
		{"open", `"action":"open"`, labels, "opened", "", nil},
		{"close", `"action":"close"`, "", "closed", "", nil},
		{"merge", `"action":"merge"`, "", "closed", "", nil},
		{"reopen", `"action":"reopen"`, "", "reopened", "", nil},
		{"approved", `"action":"approved"`, labels, schemas.ChangeUnknown, "", nil},
		{"no action", `"title":"t"`, labels, schemas.ChangeUnknown, "", nil},
		{"an action from the future", `"action":"parked"`, labels, schemas.ChangeUnknown, "", nil},
		{"nothing changed", `"action":"update"`, "", schemas.ChangeUnknown, "", nil},
		{"times alone", `"action":"update"`, `"updated_at":{},"last_edited_at":{}`, schemas.ChangeUnknown, "", nil},
		{"push", `"action":"update","oldrev":"` + shaA + `"`, `"updated_at":{}`, "synchronize", shaA, nil},
		{"oldrev is the head", `"action":"update","oldrev":"` + shaA + `","last_commit":{"id":"` + shaA + `"}`, labels, "labeled", "b", nil},
		{"push and label", `"action":"update","oldrev":"` + shaA + `"`, labels, schemas.ChangeUnknown, "", nil},
		{"one label more", `"action":"update"`, labels, "labeled", "b", nil},
		{"one label less", `"action":"update"`, `"labels":{"previous":[{"title":"a"},{"title":"b"}],"current":[{"title":"a"}]}`, "unlabeled", "b", nil},
		{"one label for another", `"action":"update"`, `"labels":{"previous":[{"title":"a"}],"current":[{"title":"b"}]}`, "labeled", "", nil},
		{"two labels more", `"action":"update"`, `"labels":{"previous":[],"current":[{"title":"a"},{"title":"b"}]}`, "labeled", "", nil},
		{"title", `"action":"update"`, `"title":{"previous":"a","current":"b"}`, "edited", "", []string{"title"}},
		{"title, description and target", `"action":"update"`, `"target_branch":{},"description":{},"title":{}`, "edited", "", []string{"title", "body", "base"}},
		{"title and label", `"action":"update"`, `"title":{},` + labels, schemas.ChangeUnknown, "", nil},
		{"draft and its title", `"action":"update"`, `"draft":{"previous":false,"current":true},"title":{"previous":"a","current":"Draft: a"}`, "converted_to_draft", "", nil},
		{"ready", `"action":"update"`, `"draft":{"previous":true,"current":false},"title":{}`, "ready_for_review", "", nil},
		{"assigned", `"action":"update"`, `"assignees":{"previous":[],"current":[{"username":"cy"}]}`, "assigned", "", nil},
		{"unassigned", `"action":"update"`, `"assignees":{"previous":[{"username":"cy"}],"current":[]}`, "unassigned", "", nil},
		{"review requested", `"action":"update"`, `"reviewers":{"previous":[],"current":[{"username":"ann"}]}`, "review_requested", "ann", nil},
		{"two reviews requested", `"action":"update"`, `"reviewers":{"previous":[],"current":[{"username":"ann"},{"username":"dee"}]}`, "review_requested", "", nil},
		{"review request removed", `"action":"update"`, `"reviewers":{"previous":[{"username":"ann"}],"current":[]}`, "review_request_removed", "ann", nil},
		{"two review requests removed", `"action":"update"`, `"reviewers":{"previous":[{"username":"ann"},{"username":"dee"}],"current":[]}`, "review_request_removed", "", nil},
		{"review requested again", `"action":"update"`, `"reviewers":{"previous":[{"username":"ann","state":"reviewed"}],"current":[{"username":"ann","state":"unreviewed","re_requested":true}]}`, schemas.ChangeUnknown, "", nil},
		{"milestone", `"action":"update"`, `"milestone_id":{"previous":null,"current":5}`, "milestoned", "", nil},
		{"no milestone", `"action":"update"`, `"milestone_id":{"previous":5,"current":null}`, "demilestoned", "", nil},
		{"auto-merge", `"action":"update"`, `"merge_when_pipeline_succeeds":{"previous":false,"current":true}`, "auto_merge_enabled", "", nil},
		{"no auto-merge", `"action":"update"`, `"merge_when_pipeline_succeeds":{"previous":true,"current":false}`, "auto_merge_disabled", "", nil},
		{"locked", `"action":"update"`, `"discussion_locked":{"previous":null,"current":true}`, "locked", "", nil},
		{"unlocked", `"action":"update"`, `"discussion_locked":{"previous":true,"current":null}`, "unlocked", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := snapshotOf(t, mergeRequest(","+test.fields, `,"changes":{`+test.changes+`}`))
			if got.Change != test.word || got.Touched != test.touched {
				t.Errorf("change = %q of %q, want %q of %q", got.Change, got.Touched, test.word, test.touched)
			}
			if diff := cmp.Diff(got.Edited, test.edited); diff != "" {
				t.Errorf("edited (-got +want):\n%s", diff)
			}
		})
	}
}

func TestDecode_Review(t *testing.T) {
	t.Parallel()
	const snapshot = `,"updated_at":"2026-01-01 10:00:00 UTC","last_commit":{"id":"` + shaA + `"}`
	when := schemas.Say(at("2026-01-01T10:00:00Z"))
	review := func(login string, state schemas.ReviewState) *schemas.ReviewSnapshot {
		return &schemas.ReviewSnapshot{
			ID: "user/" + login, Author: schemas.Actor{Login: login}, State: state, HeadSHA: shaA, SubmittedAt: when, UpdatedAt: when,
		}
	}
	reset := &schemas.ReviewSnapshot{Reset: true, UpdatedAt: when}
	reviewers := func(before, after string) string {
		return `,"user":{"username":"bea"},"changes":{"reviewers":{"previous":[` + before + `],"current":[` + after + `]}}`
	}
	const ann, dee = `{"username":"ann","state":"unreviewed"}`, `{"username":"dee","state":"unreviewed"}`
	const annObjects, deeObjects = `{"username":"ann","state":"requested_changes"}`, `{"username":"dee","state":"requested_changes"}`
	tests := []struct {
		name   string
		fields string
		beside string
		want   *schemas.ReviewSnapshot
	}{
		{"approval by one", `"action":"approval"`, `,"user":{"username":"ann"}`, review("ann", schemas.ReviewApproved)},
		{"approval by the last one", `"action":"approved"`, `,"user":{"username":"ann"}`, review("ann", schemas.ReviewApproved)},
		{"approval withdrawn", `"action":"unapproval"`, `,"user":{"username":"ann"}`, review("ann", schemas.ReviewWithdrawn)},
		{"approval withdrawn, no longer approved", `"action":"unapproved"`, `,"user":{"username":"ann"}`, review("ann", schemas.ReviewWithdrawn)},
		{"withdrawn by a person, and it says so", `"action":"unapproved","system":false`, `,"user":{"username":"ann"}`, review("ann", schemas.ReviewWithdrawn)},
		{"reset by a push", `"action":"unapproved","system":true,"system_action":"approvals_reset_on_push"`, `,"user":{"username":"ann"}`, reset},
		{"owners' approvals reset by a push", `"action":"unapproval","system":true,"system_action":"code_owner_approvals_reset_on_push"`, "", reset},
		{"another action of the system", `"action":"update","system":true,"system_action":"code_owner_approvals_reset_on_push"`, `,"user":{"username":"ann"}`, nil},
		{"approval of nobody", `"action":"approved"`, "", nil},
		{"update", `"action":"update"`, `,"user":{"username":"ann"}`, nil},
		{"changes requested", `"action":"update"`, reviewers(ann+","+deeObjects, annObjects+","+deeObjects), review("ann", schemas.ReviewChangesRequested)},
		{"changes requested by two", `"action":"update"`, reviewers(ann+","+dee, annObjects+","+deeObjects), nil},
		{"reviewed", `"action":"update"`, reviewers(ann, `{"username":"ann","state":"reviewed"}`), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			event := decoded(t, "Merge Request Hook", mergeRequest(","+test.fields+snapshot, test.beside))
			if diff := cmp.Diff(event.Review, test.want); diff != "" {
				t.Errorf("review (-got +want):\n%s", diff)
			}
			if event.PullRequest == nil || event.PullRequest.Change != schemas.ChangeUnknown {
				t.Errorf("snapshot = %+v, want one whose change has no word", event.PullRequest)
			}
		})
	}
}

// Fact 9: a change of labels alone leaves updated_at where it was. The snapshot
// has that time, and the fold applies it on equal watermarks.
func TestDecode_LabelsAloneLeaveTheTime(t *testing.T) {
	t.Parallel()
	const times = `,"created_at":"2017-12-10 17:01:11 UTC","updated_at":"2017-12-10 17:01:11 UTC"`
	opened := snapshotOf(t, mergeRequest(`,"action":"open"`+times, `,"labels":[]`))
	labeled := snapshotOf(t, mergeRequest(`,"action":"update"`+times,
		`,"labels":[{"title":"fix"}],"changes":{"labels":{"previous":[],"current":[{"title":"fix"}]}}`))
	if opened.UpdatedAt != labeled.UpdatedAt || !labeled.UpdatedAt.Known {
		t.Errorf("times %v and %v, want them equal and known", opened.UpdatedAt, labeled.UpdatedAt)
	}
	if labeled.Change != "labeled" || labeled.Touched != "fix" || len(labeled.Labels.Value) != 1 {
		t.Errorf("change %q of %q to %v, want labeled of fix", labeled.Change, labeled.Touched, labeled.Labels)
	}
}

// Two people whose e-mails are redacted are two people.
func TestDecode_RedactedMailIsNoIdentity(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, name := range []string{"ann", "dee"} {
		event := decoded(t, "Merge Request Hook", mergeRequest(`,"action":"approval"`, `,"user":{"username":"`+name+`","email":"[REDACTED]"}`))
		ids = append(ids, event.Review.ID, event.Sender.Login)
	}
	if diff := cmp.Diff(ids, []string{"user/ann", "ann", "user/dee", "dee"}); diff != "" {
		t.Errorf("ids (-got +want):\n%s", diff)
	}
}
