// Package fakegithub is a small GitHub that keeps state and can fail: the REST
// and GraphQL calls that Pawl makes, over HTTP, with the answers that GitHub
// documents.
//
//	person or Pawl ──▶ call ──who? how many left? permitted?──▶ 401, 403, 404
//	                              │
//	                        fault before? ──▶ 5xx, limit, drop, held
//	                              │
//	                            apply ──▶ effect recorded ──▶ webhook, if asked for
//	                              │
//	                           answer ──fault after?──▶ 5xx, drop
//
// Every change is recorded in order (Effects), so that a test can ask what the
// provider shows and how often it was changed, not what some caller believed.
// What changes nothing, such as a label that is there, is no effect. A fault can
// strike before or after the change was applied: the second is the unknown
// outcome that an actor must resolve by looking.
//
// The clock is the fake's own: it moves by one second with each change and has
// no fractions, as updated_at has none at GitHub. Numbers of pull requests and
// ids of everything else count up, so a run repeats itself exactly. Limits and
// tokens go by the wall clock, for their headers do.
//
// Where the behaviour is from (docs.github.com, REST API version 2022-11-28):
//
//	pulls, merge, 405, 409       /en/rest/pulls/pulls#merge-a-pull-request
//	merged or not: 204, 404      /en/rest/pulls/pulls#check-if-a-pull-request-has-been-merged
//	closing, reopening           /en/rest/pulls/pulls#update-a-pull-request
//	update of a branch: 202, 422 /en/rest/pulls/pulls#update-a-pull-request-branch
//	review requests              /en/rest/pulls/review-requests
//	reviews, dismissals          /en/rest/pulls/reviews
//	comments                     /en/rest/issues/comments
//	labels, 404 on removing      /en/rest/issues/labels
//	check runs, filter, output   /en/rest/checks/runs
//	statuses, 1000, newest first /en/rest/commits/statuses
//	parents of a commit          /en/rest/commits/commits#get-a-commit
//	merge queue, auto-merge      /en/graphql/reference/mutations#enqueuepullrequest, #enablepullrequestautomerge
//	an App, its JWT, its tokens  /en/rest/apps/apps, /en/apps/creating-github-apps/authenticating-with-a-github-app
//	permissions of each call     /en/rest/authentication/permissions-required-for-github-apps
//	the header that names them   /en/rest/using-the-rest-api/troubleshooting-the-rest-api#insufficient-permissions
//	pages, the Link header       /en/rest/using-the-rest-api/using-pagination-in-the-rest-api
//	limits, their headers        /en/rest/using-the-rest-api/rate-limits-for-the-rest-api
//	bodies of webhooks           /en/webhooks/webhook-events-and-payloads
//
// What stands in no page, and where it is known from (reports of bots that met
// it; the texts are compared by their telling part only):
//
//	"Base branch was modified. Review and try the merge again."   a 405 that passes: cli/cli#8092
//	"Changes must be made through the merge queue"                405: pascalgn/automerge-action#235
//	"At least 1 approving review is required …"                   405: Reviewable/Reviewable#561
//	"Required status check … is expected."                        405: mergeability/mergeable#386
//	"Pull request is in clean status"                             peter-evans/enable-pull-request-automerge#343
//	"Auto merge is not allowed for this repository"               the same action's reports
//	"Review cannot be requested from pull request author."        peter-evans/create-pull-request#1835
//	"Can not approve your own pull request"                       github.com/orgs/community/discussions/8918
//
// Assumed, for no source was found: that label names ignore case; the texts of
// the refusals of expectedHeadOid, of a second enqueueing and of a queue that is
// not there; that a push takes a pull request out of the queue; that an external
// id is not compared, so that two check runs may have the same.
//
// Where it is simpler than GitHub: an update of a branch has happened when its
// 202 comes; one allowance stands for REST and GraphQL together; an installation
// has all permissions but those that Deny takes from everybody; the points and
// the spacing of the secondary limits are not counted: SecondaryLimit and
// TooManyRequests are their answers, to be injected.
package fakegithub
