package github_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/provider/github"
	"pawl/schemas"
)

// The traps of GitHub's webhooks, as far as decoding has to mind them. They are
// numbered as in the list of facts that the providers were read for.

// Two hooks send one event under one id: the source tells them apart.
func TestTrap01_SameDeliveryIDFromTwoHooks(t *testing.T) {
	t.Parallel()
	in := delivery("pull_request", minimal(``))
	repository, err := github.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Source = "organization"
	organization, err := github.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	if repository.ID != organization.ID || repository.Source == organization.Source {
		t.Errorf("(%s, %s) and (%s, %s), want one id of two sources", repository.Source, repository.ID, organization.Source, organization.ID)
	}
}

// The pull request inside another event's payload is no snapshot, so its clock
// cannot become the watermark.
func TestTrap03_OtherEventsAreNoSnapshot(t *testing.T) {
	t.Parallel()
	for event, body := range github.SeedBodies() {
		got := decodeEvent(t, event, body)
		if parts(got) != 1 || (got.PullRequest != nil) != (event == "pull_request") {
			t.Errorf("%s: %+v", event, got)
		}
	}
}

func TestTrap04_MergedAbsentIsNotFalse(t *testing.T) {
	t.Parallel()
	const when = `"2026-01-01T00:00:00Z"`
	for fields, want := range map[string]string{
		``:                                       "unknown",
		`,"merged":null`:                         "unknown",
		`,"merged":null,"merged_at":null`:        "false",
		`,"merged_at":null`:                      "false",
		`,"merged_at":` + when:                   "true",
		`,"merged":null,"merged_at":` + when:     "true",
		`,"merged":false,"merged_at":` + when:    "true",
		`,"merged":true,"merged_at":null`:        "true",
		`,"state":"open","merge_commit_sha":"c"`: "unknown",
	} {
		if _, got := decodeSnapshot(t, minimal(fields)); field(got.Merged) != want {
			t.Errorf("merged of %s = %s, want %s", fields, field(got.Merged), want)
		}
	}
}

// A repository keeps its id when it is renamed or transferred.
func TestTrap05_KeyOutlivesRename(t *testing.T) {
	t.Parallel()
	before := decodeEvent(t, "pull_request", `{"number":7,"repository":{"id":101,"full_name":"acme/api"}}`)
	after := decodeEvent(t, "pull_request", `{"number":7,"repository":{"id":101,"full_name":"others/core"}}`)
	if before.Entity != after.Entity {
		t.Errorf("key %q became %q", before.Entity, after.Entity)
	}
}

// A repository that is made again under its old name has another id.
func TestTrap06_RecreatedRepositoryHasAnotherKey(t *testing.T) {
	t.Parallel()
	before := decodeEvent(t, "pull_request", `{"number":1,"repository":{"id":101,"full_name":"acme/api"}}`)
	after := decodeEvent(t, "pull_request", `{"number":1,"repository":{"id":102,"full_name":"acme/api"}}`)
	if before.Entity == after.Entity {
		t.Errorf("both are %q", before.Entity)
	}
}

// Issues and pull requests share one sequence of numbers.
func TestTrap07_CommentOnAnIssueIsNoPullRequest(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "issue_comment", `{"action":"created","issue":{"number":7},"comment":{"id":1},"repository":{"id":101}}`)
	if got.Entity != "github.com:101" || got.Ignored == "" || parts(got) != 0 {
		t.Errorf("Decode() = %+v, want it ignored under the repository", got)
	}
}

func TestTrap08_IDsBeyond32Bits(t *testing.T) {
	t.Parallel()
	const large = `9007199254740993` // 2^53 + 1, which a float would round
	check := decodeEvent(t, "check_run", `{"check_run":{"id":`+large+`,"name":"ci","head_sha":"aaaa"},"repository":{"id":`+large+`}}`)
	if check.Check.Attempt != 9007199254740993 || check.Entity != "github.com:"+large+"@aaaa" {
		t.Errorf("attempt %d of %q", check.Check.Attempt, check.Entity)
	}
	comment := decodeEvent(t, "issue_comment", `{"action":"created","issue":{"number":7,"pull_request":{}},"comment":{"id":`+large+`},"repository":{"id":1}}`)
	if comment.Comment.Key != "github.com:comment/"+large {
		t.Errorf("key = %q", comment.Comment.Key)
	}
}

// The fork is gone, and so is its owner's account.
func TestTrap09_GhostAndDeletedFork(t *testing.T) {
	t.Parallel()
	_, got := decodeSnapshot(t, minimal(`,"user":null,"head":{"sha":"aaaa","repo":null,"user":null}`))
	if diff := cmp.Diff([]string{field(got.Author), field(got.HeadRepositoryID), field(got.HeadCommit)}, []string{"{ false}", "", "github.com:101@aaaa"}); diff != "" {
		t.Errorf("author, head repository, head commit (-got +want):\n%s", diff)
	}
	for event, body := range map[string]string{
		"pull_request_review":         `{"action":"submitted","review":{"id":1,"user":null,"state":"approved"},"pull_request":{"number":7},"repository":{"id":101},"sender":null}`,
		"pull_request_review_comment": `{"action":"created","comment":{"id":1,"user":null},"pull_request":{"number":7},"repository":{"id":101},"sender":null}`,
	} {
		if got := decodeEvent(t, event, body); parts(got) != 1 || got.Sender.Login != "" {
			t.Errorf("%s: %+v", event, got)
		}
	}
}

// A retarget is an edit of the base, with the same head.
func TestTrap10_RetargetIsAnEditOfTheBase(t *testing.T) {
	t.Parallel()
	_, got := decodeSnapshot(t, `{"action":"edited","number":7,"changes":{"base":{"ref":{"from":"main"},"sha":{"from":"bbbb"}}},"pull_request":{"base":{"ref":"next"}},"repository":{"id":101}}`)
	if diff := cmp.Diff(got.Edited, []string{"base"}); diff != "" || got.Change != "edited" || got.BaseRef.Value != "next" {
		t.Errorf("edited %v, change %q, base %+v", got.Edited, got.Change, got.BaseRef)
	}
}

func TestTrap11_DraftAbsentIsNotFalse(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{``: "unknown", `,"draft":true`: "true", `,"draft":false`: "false"} {
		if _, got := decodeSnapshot(t, minimal(fields)); field(got.Draft) != want {
			t.Errorf("draft of %q = %s, want %s", fields, field(got.Draft), want)
		}
	}
}

// The head can move while it is closed: reopened shows the new one.
func TestTrap12_ReopenedShowsItsHead(t *testing.T) {
	t.Parallel()
	_, got := decodeSnapshot(t, `{"action":"reopened","number":7,"pull_request":{"state":"open","head":{"sha":"cccc"}},"repository":{"id":101}}`)
	if got.Change != "reopened" || got.HeadSHA.Value != "cccc" || got.HeadCommit.Value != "github.com:101@cccc" {
		t.Errorf("change %q, head %+v, commit %+v", got.Change, got.HeadSHA, got.HeadCommit)
	}
}

// Leaving the queue by a merge is no failure: the reason is kept.
func TestTrap13_QueueAndItsReasons(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]*schemas.QueueChange{
		`"action":"enqueued"`:                               {Queued: true},
		`"action":"dequeued","reason":"MERGE"`:              {Reason: "MERGE"},
		`"action":"dequeued","reason":"CI_FAILURE"`:         {Reason: "CI_FAILURE"},
		`"action":"dequeued"`:                               {},
		`"action":"auto_merge_disabled","reason":"by hand"`: nil,
		`"action":"closed"`:                                 nil,
	} {
		_, got := decodeSnapshot(t, `{`+body+`,"number":7,"repository":{"id":101}}`)
		if diff := cmp.Diff(got.Queue, want); diff != "" {
			t.Errorf("queue of %s (-got +want):\n%s", body, diff)
		}
	}
	group := decodeEvent(t, "merge_group", `{"action":"destroyed","reason":"merged","merge_group":{"head_sha":"aaaa"},"repository":{"id":101}}`)
	if !group.MergeGroup.Destroyed || group.MergeGroup.Reason != "merged" {
		t.Errorf("merge group %+v", group.MergeGroup)
	}
}

// The checks of a merge group hang on the group's own commit.
func TestTrap14_MergeGroupHasItsOwnCommit(t *testing.T) {
	t.Parallel()
	group := decodeEvent(t, "merge_group", `{"action":"checks_requested","merge_group":{"head_sha":"dddd","base_sha":"bbbb","head_ref":"refs/heads/gh-readonly-queue/main/pr-7-aaaa"},"repository":{"id":101}}`)
	check := decodeEvent(t, "check_run", `{"check_run":{"name":"ci","head_sha":"dddd"},"repository":{"id":101}}`)
	if group.Entity != "github.com:101@dddd" || check.Entity != group.Entity {
		t.Errorf("group %q, its check %q", group.Entity, check.Entity)
	}
}

// Checks of a fork's head name no pull request.
func TestTrap15_EmptyPullRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	for event, body := range map[string]string{
		"check_run":    `{"check_run":{"id":1,"name":"ci","head_sha":"aaaa","status":"queued"%},"repository":{"id":101}}`,
		"check_suite":  `{"check_suite":{"id":1,"head_sha":"aaaa","status":"queued"%},"repository":{"id":101}}`,
		"workflow_run": `{"workflow_run":{"id":1,"name":"ci","head_sha":"aaaa","status":"queued"%},"repository":{"id":101}}`,
	} {
		named := decodeEvent(t, event, strings.Replace(body, "%", `,"head_branch":"watermark","pull_requests":[{"number":7}]`, 1))
		for _, fields := range []string{`,"head_branch":null,"pull_requests":[]`, ``} {
			got := decodeEvent(t, event, strings.Replace(body, "%", fields, 1))
			if diff := cmp.Diff(got, named); diff != "" {
				t.Errorf("%s with %q (-got +with a pull request):\n%s", event, fields, diff)
			}
		}
	}
}

// A check run has no clock: the suite's inside it is not its own. A rerun has a
// greater id.
func TestTrap16_CheckRunHasNoClock(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "check_run", `{"action":"rerequested","check_run":{"id":5,"name":"ci","head_sha":"aaaa","status":"completed","conclusion":"neutral",
		"updated_at":"2026-01-01T00:00:00Z","check_suite":{"updated_at":"2026-01-01T00:00:00Z"}},"repository":{"id":101}}`).Check
	if got.UpdatedAt.Known || got.CompletedAt.Known || got.Attempt != 5 || got.Status != schemas.CheckCompleted {
		t.Errorf("check = %+v", got)
	}
}

// A suite that is requested again has its old id and is still completed; its
// clock alone orders it.
func TestTrap17_SuiteRequestedAgain(t *testing.T) {
	t.Parallel()
	const suite = `"check_suite":{"id":118578147,"head_sha":"aaaa","status":"completed","conclusion":"success","updated_at":"2026-01-01T00:00:%Z"},"repository":{"id":101}}`
	first := decodeEvent(t, "check_suite", `{"action":"completed",`+strings.Replace(suite, "%", "01", 1))
	again := decodeEvent(t, "check_suite", `{"action":"rerequested",`+strings.Replace(suite, "%", "02", 1))
	if first.Check.Attempt != again.Check.Attempt || !again.Check.UpdatedAt.Value.After(first.Check.UpdatedAt.Value) || again.Action != "rerequested" {
		t.Errorf("first %+v, again %+v", first.Check, again.Check)
	}
}

// Contexts are case-insensitive, and each state of one has an id of its own.
func TestTrap18_StatesOfOneContext(t *testing.T) {
	t.Parallel()
	pending := decodeEvent(t, "status", `{"id":1,"sha":"aaaa","context":"CI/Build","state":"pending","repository":{"id":101}}`).Check
	success := decodeEvent(t, "status", `{"id":2,"sha":"aaaa","context":"ci/build","state":"success","repository":{"id":101}}`).Check
	if pending.Name != success.Name || pending.App != "" || success.Attempt <= pending.Attempt {
		t.Errorf("pending %+v, success %+v", pending, success)
	}
}

// A dismissal keeps the review's id and submitted_at. Its state is the action's.
func TestTrap19_DismissalOfAReview(t *testing.T) {
	t.Parallel()
	const rest = `"user":{"login":"ann"},"submitted_at":"2026-01-01T00:00:00Z"},"pull_request":{"number":7,"updated_at":"2026-01-01T00:00:%Z"},"repository":{"id":101}}`
	given := decodeEvent(t, "pull_request_review", `{"action":"submitted","review":{"id":1,"state":"APPROVED",`+strings.Replace(rest, "%", "00", 1)).Review
	taken := decodeEvent(t, "pull_request_review", `{"action":"dismissed","review":{"id":1,"state":"approved",`+strings.Replace(rest, "%", "09", 1)).Review
	if given.State != schemas.ReviewApproved || taken.State != schemas.ReviewDismissed || given.ID != taken.ID ||
		given.SubmittedAt != taken.SubmittedAt || !taken.UpdatedAt.Value.After(given.UpdatedAt.Value) {
		t.Errorf("given %+v, taken %+v", given, taken)
	}
}

// A removed comment keeps its own clock; its parent's tells when it went.
func TestTrap20_RemovalHasAClockOfItsOwn(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "issue_comment", `{"action":"deleted","issue":{"number":7,"pull_request":{},"updated_at":"2026-01-02T00:00:00Z"},
		"comment":{"id":1,"updated_at":"2026-01-01T00:00:00Z"},"repository":{"id":101}}`).Comment
	if got.Change != schemas.CommentDeleted || !got.RemovedAt.Value.After(got.UpdatedAt.Value) {
		t.Errorf("comment = %+v", got)
	}
}

// A ping and an installation need no repository.
func TestTrap21_NoRepository(t *testing.T) {
	t.Parallel()
	for event, body := range map[string]string{
		"ping": `{"zen":"Keep it.","hook_id":1,"organization":{"login":"acme"}}`, "installation": `{"action":"created","installation":{"id":1}}`,
		"installation_repositories": `{"action":"added","repositories_added":[{"id":101}]}`, "github_app_authorization": `{"action":"revoked"}`,
	} {
		if got := decodeEvent(t, event, body); got.Entity != "github.com" || got.Ignored == "" {
			t.Errorf("%s: %+v", event, got)
		}
	}
}

// The signature is over the form as it came, and the record has the JSON in it.
func TestTrap22_FormIsDecodedAfterVerifying(t *testing.T) {
	t.Parallel()
	in := formDelivery("pull_request", minimal(`,"title":"a+b %20 c"`))
	in.Header.Set("X-Hub-Signature-256", sign(in.Raw, "secret"))
	if _, err := (github.Provider{}).Verify(in, [][]byte{[]byte("secret")}); err != nil {
		t.Fatal(err)
	}
	record, err := github.Provider{}.Seal(in)
	if err != nil {
		t.Fatal(err)
	}
	event, err := github.Provider{}.Decode(record)
	if err != nil || event.PullRequest.Title.Value != "a+b %20 c" {
		t.Errorf("title = %+v, %v", event.PullRequest, err)
	}
}

// PostgreSQL takes no NUL and no broken UTF-8.
func TestTrap24_TextThatPostgreSQLTakes(t *testing.T) {
	t.Parallel()
	for event, body := range map[string]string{
		"check_run":           `{"check_run":{"name":"c\u0000i","head_sha":"aaaa"},"repository":{"id":101}}`,
		"status":              `{"sha":"aaaa","context":"C\u0000I","state":"pending","repository":{"id":101}}`,
		"workflow_run":        `{"workflow_run":{"name":"c\u0000i","head_sha":"aaaa"},"repository":{"id":101}}`,
		"pull_request_review": `{"action":"submitted","review":{"id":1,"state":"approved","body":"c\u0000i"},"pull_request":{"number":7},"repository":{"id":101}}`,
	} {
		got := decodeEvent(t, event, body)
		if check := got.Check; check != nil && check.Name != "ci" {
			t.Errorf("%s: name %q", event, check.Name)
		}
		if review := got.Review; review != nil && review.Body.Value != "ci" {
			t.Errorf("%s: body %q", event, review.Body.Value)
		}
	}
}

// Gitea signs as GitHub does and sends GitHub's headers; the source says what it is.
func TestTrap25_GiteaIsNotGitHub(t *testing.T) {
	t.Parallel()
	in := delivery("pull_request", minimal(``))
	in.Header.Set("X-Gitea-Event", "pull_request")
	in.Header.Set("X-Hub-Signature-256", sign(in.Raw, "secret"))
	if _, err := (github.Provider{}).Verify(in, [][]byte{[]byte("secret")}); err != nil {
		t.Fatal(err)
	}
	if _, err := (github.Provider{}).Seal(in); err == nil || !strings.Contains(err.Error(), "gitea") {
		t.Errorf("Seal() = %v, want it refused as Gitea's", err)
	}
}

// Auto-merge is what is wanted, and not a state: the pull request stays open.
func TestTrap28_AutoMergeLeavesItOpen(t *testing.T) {
	t.Parallel()
	_, got := decodeSnapshot(t, `{"action":"auto_merge_enabled","number":7,"pull_request":{"state":"open","merged":false,"auto_merge":{"merge_method":"squash"}},"repository":{"id":101}}`)
	if got.Change != "auto_merge_enabled" || got.State.Value != "open" || field(got.Merged) != "false" || field(got.AutoMerge) != "true" {
		t.Errorf("snapshot = %+v", got)
	}
	_, got = decodeSnapshot(t, `{"action":"auto_merge_disabled","reason":"by hand","number":7,"pull_request":{"state":"open","auto_merge":null},"repository":{"id":101}}`)
	if got.Change != "auto_merge_disabled" || field(got.AutoMerge) != "false" {
		t.Errorf("snapshot = %+v", got)
	}
}

// A check of a commit that no pull request is known to have is kept under the
// key that a later head has.
func TestTrap29_CheckBeforeItsHead(t *testing.T) {
	t.Parallel()
	check := decodeEvent(t, "check_run", `{"check_run":{"name":"ci","head_sha":"aaaa"},"repository":{"id":101}}`)
	_, head := decodeSnapshot(t, `{"action":"synchronize","number":7,"pull_request":{"head":{"sha":"aaaa","repo":{"id":202}}},"repository":{"id":101}}`)
	if head.HeadCommit.Value != check.Entity {
		t.Errorf("head is %q, its check is of %q", head.HeadCommit.Value, check.Entity)
	}
}

// The receive time never stands in for the provider's.
func TestTrap37_MissingClockStaysUnknown(t *testing.T) {
	t.Parallel()
	for event, body := range map[string]string{
		"pull_request":                `{"action":"opened","number":7,"repository":{"id":101}}`,
		"issue_comment":               `{"action":"deleted","issue":{"number":7,"pull_request":{}},"comment":{"id":1},"repository":{"id":101}}`,
		"pull_request_review":         `{"action":"submitted","review":{"id":1,"state":"approved"},"pull_request":{"number":7},"repository":{"id":101}}`,
		"pull_request_review_comment": `{"action":"deleted","comment":{"id":1},"pull_request":{"number":7},"repository":{"id":101}}`,
		"pull_request_review_thread":  `{"action":"resolved","thread":{"node_id":"T"},"pull_request":{"number":7},"repository":{"id":101}}`,
		"check_suite":                 `{"check_suite":{"head_sha":"aaaa"},"repository":{"id":101}}`,
		"status":                      `{"sha":"aaaa","context":"ci","state":"success","repository":{"id":101}}`,
		"repository":                  `{"action":"renamed","repository":{"id":101,"full_name":"acme/api"}}`,
	} {
		in := delivery(event, body)
		in.ReceivedAt = at("2026-01-01T00:00:00Z")
		record, err := github.Provider{}.Seal(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := github.Provider{}.Decode(record)
		if err != nil {
			t.Fatal(err)
		}
		if clocks := knownClocks(got); clocks != 0 {
			t.Errorf("%s: %d clocks are known: %+v", event, clocks, got)
		}
	}
}

// knownClocks counts the provider's times that an event states.
func knownClocks(event schemas.Event) int {
	var known []bool
	if s := event.PullRequest; s != nil {
		known = append(known, s.UpdatedAt.Known, s.CreatedAt.Known, s.ClosedAt.Known, s.MergedAt.Known)
	}
	if s := event.Comment; s != nil {
		known = append(known, s.CreatedAt.Known, s.UpdatedAt.Known, s.RemovedAt.Known)
	}
	if s := event.Review; s != nil {
		known = append(known, s.SubmittedAt.Known, s.UpdatedAt.Known)
	}
	if s := event.Thread; s != nil {
		known = append(known, s.UpdatedAt.Known)
	}
	if s := event.Check; s != nil {
		known = append(known, s.StartedAt.Known, s.CompletedAt.Known, s.UpdatedAt.Known)
	}
	if s := event.Repository; s != nil {
		known = append(known, s.UpdatedAt.Known)
	}
	count := 0
	for _, clock := range known {
		if clock {
			count++
		}
	}
	return count
}

// A bot's event is an event: it is decoded, and says that a bot sent it.
func TestTrap38_BotsAreTold(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "pull_request", `{"action":"labeled","label":{"name":"automerge"},"number":7,"repository":{"id":101},"sender":{"login":"pawl[bot]","type":"Bot"}}`)
	if got.Sender != (schemas.Actor{Login: "pawl[bot]", IsBot: true}) || got.PullRequest == nil {
		t.Errorf("Decode() = %+v", got)
	}
}
