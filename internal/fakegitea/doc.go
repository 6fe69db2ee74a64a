// Package fakegitea is a small Gitea that keeps state and can fail: the REST
// calls that Pawl makes, over HTTP, with the answers that Gitea and Forgejo
// give. Every change is recorded in order (Effects); faults strike before or
// after the change (package fakeforge).
//
// Where the behaviour is from. Files are those of go-gitea/gitea:
//
//	a merge: 404 closed; 405 for all that it is not  routers/api/v1/repo/pull.go, MergePullRequest
//	  ready for, with a text; 409 "head out of date",
//	  and for conflicts a body without a message
//	auto-merge: 201, compares no head; 409 when it   the same; models/pull/automerge.go
//	  is on already
//	update: no sha, 409 conflict, 500 where there    UpdatePullRequest there; services/pull/update.go
//	  is nothing to update
//	reviews: own 422, commit_id of any commit;       routers/api/v1/repo/pull_review.go
//	  requests of people and teams; dismissals take
//	  an administrator, 403
//	comments of an issue: all at once, no pages      go-gitea/gitea#12835, #18082
//
// By the shapes of the SDK (code.gitea.io/sdk/gitea), with no other source read:
// labels by id, of the repository and of its organization; statuses; requests
// listed as reviews of state REQUEST_REVIEW; the Link header; "Authorization:
// token …" and its 401; 412 for a change of what is merged; merge_base equal to
// base.sha where the head has all of its base.
//
// Assumed: that a review request of somebody who is asked already is no error
// and no effect.
package fakegitea
