package github

// SeedBodies has one whole body for each event that is folded.
func SeedBodies() map[string]string {
	const (
		repo        = `,"repository":{"id":101,"full_name":"acme/api","private":false,"updated_at":"2026-01-01T00:00:00Z"},"sender":{"login":"ann","type":"User"}}`
		pullRequest = `,"pull_request":{"number":7,"updated_at":"2026-01-01T00:00:00Z"}`
		comment     = `,"comment":{"id":1,"in_reply_to_id":null,"user":{"login":"a[bot]"},"body":"\u0000\ud800","created_at":"2026-01-01T00:00:00Z"}`
	)
	return map[string]string{
		eventPullRequest:   `{"action":"dequeued","number":7,"reason":"MERGE","assignee":{"login":"a"},"milestone":{"title":"m"},"label":{"name":"a"},"pull_request":{"number":7,"title":"t","body":null,"user":null,"head":{"repo":null,"sha":"aaaa"},"labels":[{"name":"b"},null],"milestone":null,"auto_merge":{},"merged_at":null}` + repo,
		eventIssueComment:  `{"action":"deleted","issue":{"number":7,"updated_at":"2026-01-01T00:00:00Z","pull_request":{}}` + comment + repo,
		eventReview:        `{"action":"submitted","review":{"id":1,"state":"APPROVED","body":null,"commit_id":"aaaa","user":{"login":"ann"},"submitted_at":"2026-01-01T00:00:00Z"}` + pullRequest + repo,
		eventReviewComment: `{"action":"created"` + comment + pullRequest + repo,
		eventReviewThread:  `{"action":"resolved","updated_at":null,"thread":{"node_id":"T","comments":[{"id":2},{"id":1},null]}` + pullRequest + repo,
		eventCheckRun:      `{"action":"completed","check_run":{"id":1,"name":"ci","head_sha":"aaaa","status":"completed","conclusion":"success","app":{"id":1,"slug":"ci"},"started_at":null,"completed_at":"2026-01-01T00:00:00Z","html_url":null,"details_url":"u","pull_requests":[]}` + repo,
		eventCheckSuite:    `{"action":"completed","check_suite":{"id":1,"head_sha":"aaaa","status":"completed","conclusion":null,"app":null,"updated_at":"2026-01-01T00:00:00Z"}` + repo,
		eventStatus:        `{"id":1,"sha":"aaaa","context":"CI","state":"error","target_url":null,"updated_at":"2026-01-01T00:00:00+00:00"` + repo,
		eventWorkflowRun:   `{"action":"completed","workflow_run":{"id":1,"name":null,"path":"p","workflow_id":2,"run_attempt":3,"head_sha":"aaaa","status":"completed","conclusion":"failure","run_started_at":"2026-01-01T00:00:00Z"}` + repo,
		eventMergeGroup:    `{"action":"destroyed","reason":"merged","merge_group":{"head_sha":"aaaa","head_ref":"refs/heads/q","base_ref":"refs/heads/main"}` + repo,
		eventRepository:    `{"action":"transferred"` + repo,
	}
}
