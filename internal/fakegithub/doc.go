// Package fakegithub is a small GitHub that keeps state and can fail: the REST
// calls that Pawl makes, over HTTP, with the answers that GitHub documents.
//
//	person or Pawl ──▶ call ──fault before?──▶ apply ──▶ effect recorded
//	                              │                         │
//	                              ▼                         ├──▶ webhook, if asked for
//	                        5xx, limit, drop                ▼
//	                                             answer ──fault after?──▶ 5xx, drop
//
// Every change is recorded in order (Effects), so that a test can ask what the
// provider shows and how often it was changed, not what some caller believed.
// A fault can strike before or after the change was applied: the second is the
// unknown outcome that an actor must resolve by looking.
//
// The clock is the fake's own: it moves by one second with each change and has
// no fractions, as updated_at has none at GitHub. Numbers of pull requests and
// ids of comments count up, so a run repeats itself exactly.
//
// Where the behaviour is from (docs.github.com, REST API version 2022-11-28):
//
//	pulls, merge, 405, 409       /en/rest/pulls/pulls#merge-a-pull-request
//	merged or not: 204, 404      /en/rest/pulls/pulls#check-if-a-pull-request-has-been-merged
//	closing                      /en/rest/pulls/pulls#update-a-pull-request
//	comments                     /en/rest/issues/comments
//	labels, 404 on removing      /en/rest/issues/labels
//	pages, the Link header       /en/rest/using-the-rest-api/using-pagination-in-the-rest-api
//	limits, their headers        /en/rest/using-the-rest-api/rate-limits-for-the-rest-api
//	bodies of webhooks           /en/webhooks/webhook-events-and-payloads
//
// The text of the transient 405, "Base branch was modified. Review and try the
// merge again.", stands in no page; it is known from reports of bots that met
// it. That label names ignore case is as GitHub behaves, not as it documents.
package fakegithub
