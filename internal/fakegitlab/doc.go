// Package fakegitlab is a small GitLab that keeps state and can fail: the REST
// calls that Pawl makes, over HTTP, with the answers that GitLab gives.
//
// Every change is recorded in order (Effects), so that a test can ask what the
// provider shows and how often it was changed. What changes nothing, such as a
// label that is there, is no effect. Faults strike before or after the change
// (package fakeforge).
//
// Where the behaviour is from. Files are those of gitlabhq/gitlabhq, read in a
// copy that may be older than the newest release:
//
//	a merge: 401 who may not, 405 or 422, then   lib/api/merge_requests.rb, put …/merge
//	  409 another sha, in this order
//	auto-merge with nothing to wait for merges   gitlab-org/gitlab!228142
//	405 for what is not ready, without a reason  gitlab-org/gitlab#28779
//	a conflict: 406 by the older documentation,  gitlab-org/gitlab#364102
//	  405 in practice, 422 in the source read
//	approve with sha: 409; 401 who may not, or   lib/api/merge_request_approvals.rb
//	  who has approved already; no text
//	statuses: one that is pending is changed,    app/services/ci/create_commit_status_service.rb
//	  one that has ended is followed by another
//	400 from pending to pending, and its text    packit/packit-service#741
//	Retry-After of a 429                         gitlab-org/gitlab!206603
//	RateLimit-Remaining, RateLimit-Reset         gitlab-org/gitlab#199738
//
// By the shapes of the client library (gitlab.com/gitlab-org/api/client-go/v2),
// and by what docs.gitlab.com is known to say; the pages were not read again:
// the words of detailed_merge_status; auto_merge and its older name; state_event,
// add_labels, remove_labels, and reviewer_ids as the whole list; one reviewer in
// the free tier; notes, system notes and X-Next-Page; quick actions;
// PRIVATE-TOKEN, 401 and insufficient_scope.
//
// Assumed, for no source was found: that a repeated state_event or a repeated
// reviewer is no error and no effect, and that each change moves updated_at.
//
// Where it is simpler than GitLab: one pipeline a commit, no approval rules, no
// groups; quick actions know /close alone, and stay in the note's text.
package fakegitlab
