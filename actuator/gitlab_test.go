package actuator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"pawl/actuator"
	"pawl/internal/fakeforge"
	"pawl/internal/fakegitlab"
	"pawl/schemas"
)

const otherHead = "cccccccccccccccccccccccccccccccccccccccc"

func TestGitLab_LooksBeforeItActs(t *testing.T) {
	t.Parallel()
	const merge = `{"method":"merge","sha":"HEAD","queue":true}`
	const auto = `{"method":"merge","sha":"HEAD","auto_merge":true}`
	const id = repositoryID
	type given = func(lab *fakegitlab.Server, n int)
	tests := []struct {
		forgeCase
		mr      fakegitlab.MergeRequest
		given   given
		between given
	}{
		{forgeCase: forgeCase{name: "merge, merged already", kind: schemas.MutateMerge, params: merge, state: "done", reason: "found merged"}, between: func(lab *fakegitlab.Server, n int) { lab.Merge(id, n, "ann") }},
		{forgeCase: forgeCase{name: "merge, head moved", kind: schemas.MutateMerge, params: merge, state: "skipped", reason: "head moved", reads: 1}, between: func(lab *fakegitlab.Server, n int) { lab.Push(id, n, "ann", otherHead) }},
		{forgeCase: forgeCase{name: "merge, closed", kind: schemas.MutateMerge, params: merge, state: "skipped", reason: "found closed"}, between: func(lab *fakegitlab.Server, n int) { lab.Close(id, n, "ann") }},
		{forgeCase: forgeCase{name: "merge, not approved", kind: schemas.MutateMerge, params: merge, state: "dead", reason: "not_approved"}, mr: fakegitlab.MergeRequest{Status: "not_approved"}},
		{forgeCase: forgeCase{name: "merge, conflict", kind: schemas.MutateMerge, params: auto, state: "dead", reason: "conflict"}, mr: fakegitlab.MergeRequest{Status: "conflict"}},
		{forgeCase: forgeCase{name: "merge, being checked", kind: schemas.MutateMerge, params: auto, state: "pending", reason: "checking"}, mr: fakegitlab.MergeRequest{Status: "checking"}},
		{forgeCase: forgeCase{name: "merge, auto", kind: schemas.MutateMerge, params: auto, state: "done", reason: "auto-merge switched on", effects: []string{fakegitlab.AutoMergeEnabled}}, mr: fakegitlab.MergeRequest{Status: "ci_still_running"}},
		{forgeCase: forgeCase{name: "merge, auto is on", kind: schemas.MutateMerge, params: auto, state: "done", reason: "auto-merge is on"}, mr: fakegitlab.MergeRequest{Status: "ci_still_running", AutoMerge: true}},
		{forgeCase: forgeCase{name: "merge, may not", kind: schemas.MutateMerge, params: merge, state: "dead", reason: "401"}, given: func(lab *fakegitlab.Server, _ int) { lab.SetPowerless() }},
		{forgeCase: forgeCase{name: "merge, rebase", kind: schemas.MutateMerge, params: `{"method":"rebase","sha":"HEAD"}`, state: "dead", reason: "gitlab.com cannot choose to rebase"}},
		{forgeCase: forgeCase{name: "close, merged", kind: schemas.MutateClose, params: `{}`, state: "skipped", reason: "found merged"}, between: func(lab *fakegitlab.Server, n int) { lab.Merge(id, n, "ann") }},
		{forgeCase: forgeCase{name: "close, read-only token", kind: schemas.MutateClose, params: `{}`, state: "dead", reason: "scope needed: api"}, given: func(lab *fakegitlab.Server, _ int) { lab.SetReadOnly() }},
		{forgeCase: forgeCase{name: "close, project renamed", kind: schemas.MutateClose, params: `{}`, state: "done", effects: []string{fakegitlab.Closed}}, between: func(lab *fakegitlab.Server, _ int) { lab.Rename(id, "acme/renamed") }},
		{forgeCase: forgeCase{name: "reopen, open", kind: schemas.MutateReopen, params: `{}`, state: "done", reason: "found open"}},
		{forgeCase: forgeCase{name: "comment, that of another", kind: schemas.MutateComment, params: `{"body":"x","sticky":"a"}`, state: "done", effects: []string{fakegitlab.NoteCreated}}, given: func(lab *fakegitlab.Server, n int) { lab.Comment(id, n, "ann", "y\n\n<!-- pawl-sticky:a@1 -->") }},
		{forgeCase: forgeCase{name: "comment, no quick action", kind: schemas.MutateComment, params: `{"body":"they said\n/close"}`, state: "done", effects: []string{fakegitlab.NoteCreated}}},
		{forgeCase: forgeCase{name: "comment, same text with a slash", kind: schemas.MutateComment, params: `{"body":"/usr","sticky":"a"}`, state: "done", reason: "with that text"}, given: func(lab *fakegitlab.Server, n int) { lab.Comment(id, n, bot, "\\/usr\n\n<!-- pawl-sticky:a@1 -->") }},
		{forgeCase: forgeCase{name: "delete, of another", kind: schemas.MutateDeleteComment, params: `{"comment":"1001"}`, state: "done", effects: []string{fakegitlab.NoteDeleted}}, given: func(lab *fakegitlab.Server, n int) { lab.Comment(id, n, "mallory", "spam") }},
		{forgeCase: forgeCase{name: "delete, not there", kind: schemas.MutateDeleteComment, params: `{"comment":"77"}`, state: "done", reason: "not there"}, given: func(lab *fakegitlab.Server, n int) { lab.Notice(id, n, "ann", "changed the title") }},
		{forgeCase: forgeCase{name: "approve, approved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "done", reason: "found review"}, given: func(lab *fakegitlab.Server, n int) { lab.Approve(id, n, bot) }},
		{forgeCase: forgeCase{name: "approve, head moved", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "skipped", reason: "head moved", reads: 1}, between: func(lab *fakegitlab.Server, n int) { lab.Push(id, n, "ann", otherHead) }},
		{forgeCase: forgeCase{name: "approve, may not", kind: schemas.MutateApprove, params: `{"sha":"HEAD"}`, state: "dead", reason: "401"}, given: func(lab *fakegitlab.Server, _ int) { lab.SetPowerless() }},
		{forgeCase: forgeCase{name: "approve, with a text", kind: schemas.MutateApprove, params: `{"sha":"HEAD","body":"fine"}`, state: "dead", reason: "leave body out"}},
		{forgeCase: forgeCase{name: "request, others stay", kind: schemas.MutateRequestReview, params: `{"reviewers":["bob"]}`, state: "done", reason: "asked bob", effects: []string{fakegitlab.ReviewRequested}}, given: func(lab *fakegitlab.Server, n int) { lab.Request(id, n, "cyd") }},
		{forgeCase: forgeCase{name: "request, asked already", kind: schemas.MutateRequestReview, params: `{"reviewers":["bob"]}`, state: "done", reason: "asked already"}, given: func(lab *fakegitlab.Server, n int) { lab.Request(id, n, "bob") }},
		{forgeCase: forgeCase{name: "request, nobody of that name", kind: schemas.MutateRequestReview, params: `{"reviewers":["zoe"]}`, state: "dead", reason: "no account of that name"}},
		{forgeCase: forgeCase{name: "request, a team", kind: schemas.MutateRequestReview, params: `{"teams":["core"]}`, state: "dead", reason: "name people"}},
		{forgeCase: forgeCase{name: "request, free tier", kind: schemas.MutateRequestReview, params: `{"reviewers":["bob","cyd"]}`, state: "dead", reason: "one reviewer", effects: []string{fakegitlab.ReviewRequested}}, given: func(lab *fakegitlab.Server, _ int) { lab.AddUser("cyd"); lab.SetSingleReviewer() }},
		{forgeCase: forgeCase{name: "status, of a head of before", kind: schemas.MutateCommitStatus, params: `{"context":"gate","sha":"HEAD","state":"pending"}`, state: "done", effects: []string{fakegitlab.StatusCreated}}, between: func(lab *fakegitlab.Server, n int) { lab.Push(id, n, "ann", otherHead) }},
		{forgeCase: forgeCase{name: "update_branch", kind: schemas.MutateUpdateBranch, params: `{"sha":"` + otherHead + `"}`, state: "dead", reason: "gitlab.com cannot update branches"}},
		{forgeCase: forgeCase{name: "dismiss_review", kind: schemas.MutateDismissReview, params: `{"message":"x"}`, state: "dead", reason: "gitlab.com cannot dismiss reviews"}},
		{forgeCase: forgeCase{name: "check_run", kind: schemas.MutateCheckRun, params: `{"name":"a","sha":"HEAD","status":"queued"}`, state: "dead", reason: "gitlab.com cannot report check runs"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lab, f := newLab()
			tt.open = func() int {
				n := lab.Open(id, tt.mr)
				if tt.given != nil {
					tt.given(lab, n)
				}
				return n
			}
			if tt.between != nil {
				tt.forgeCase.between = func(n int) { tt.between(lab, n) }
			}
			tt.play(t, f)
		})
	}
}

// TestForges_HeadMovedBetweenLookAndCall is case 12 at the forges: nothing merges
// what was not decided on, and the live read goes to the log.
func TestForges_HeadMovedBetweenLookAndCall(t *testing.T) {
	t.Parallel()
	lab, labForge := newLab()
	tea, teaForge := newTea()
	tests := []struct {
		forge forge
		open  func() int
		push  func(number int)
	}{
		{labForge, func() int { return lab.Open(repositoryID, fakegitlab.MergeRequest{}) }, func(n int) { lab.Push(repositoryID, n, "ann", otherHead) }},
		{teaForge, func() int { return tea.Open(emptyPull) }, func(n int) { tea.Push(n, "ann", otherHead) }},
	}
	for _, tt := range tests {
		t.Run(tt.forge.name, func(t *testing.T) {
			t.Parallel()
			r := newForgeRig(t, tt.forge)
			a, number := r.actor("a"), tt.open()
			r.open(a, number, schemas.MutateMerge, `{"method":"merge","sha":"HEAD"}`)
			a.OnStep(func(step string, _ schemas.Mutation) {
				if step == actuator.StepLooked {
					tt.push(number)
				}
			})
			r.passes(a)
			if e := r.ended(number); e.state != "skipped" || !strings.HasPrefix(e.reason, "head moved") || len(r.effects(number)) != 0 {
				t.Errorf("got %+v and %v, want it skipped", e, r.effects(number))
			}
			r.checkReads(number, 1)
		})
	}
}

// TestGitLab_QuietNote: nothing commands, and what is read back is the same.
func TestGitLab_QuietNote(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([ \t]?[\\]{0,2}/?[a-z]{0,2}\n?){0,6}`).Draw(t, "text")
		quiet := actuator.QuietNote(text)
		for line := range strings.Lines(quiet) {
			if line = strings.TrimSpace(line); len(line) > 1 && line[0] == '/' && line[1] >= 'a' && line[1] <= 'z' {
				t.Fatalf("%q commands", quiet)
			}
		}
		if got := actuator.PlainNote(quiet); got != text {
			t.Fatalf("read back: got %q, want %q", got, text)
		}
	})
}

// TestGitLab_MergeMessage: a squash has a message of its own.
func TestGitLab_MergeMessage(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"merge", "squash"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			lab, f := newLab()
			number := 0
			forgeCase{
				kind: schemas.MutateMerge, params: `{"method":"` + method + `","sha":"HEAD","title":"T","message":"M"}`,
				open:  func() int { number = lab.Open(repositoryID, fakegitlab.MergeRequest{}); return number },
				state: "done", reason: "merged as ", effects: []string{fakegitlab.Merged},
			}.play(t, f)
			shown := lab.MergeRequest(repositoryID, number)
			if shown.Message != "T\n\nM" || shown.Squashed != (method == "squash") {
				t.Errorf("got %q, squashed: %v", shown.Message, shown.Squashed)
			}
		})
	}
}

// TestGitLab_StatusStaysPending: GitLab has no step from pending to pending.
func TestGitLab_StatusStaysPending(t *testing.T) {
	t.Parallel()
	lab, f := newLab()
	client, ref := connect(t, f), actuator.Ref{Repository: repo, Number: int64(lab.Open(repositoryID, fakegitlab.MergeRequest{}))}
	sha := lab.MergeRequest(repositoryID, 1).SHA
	reporter := client.(*actuator.GitLab) //nolint:forcetypeassert // it is one
	for _, text := range []string{"first", "second"} {
		if err := reporter.CreateCommitStatus(t.Context(), ref, actuator.StatusParams{Context: "gate", SHA: sha, State: "pending", Description: text}); err != nil {
			t.Fatal(err)
		}
	}
	status, found, err := reporter.CommitStatus(t.Context(), ref, sha, "gate")
	if err != nil || !found || status.State != "pending" || status.Description != "first" {
		t.Errorf("got %+v, %v, %v", status, found, err)
	}
}

// TestGitLab_NotesOfAllPages: our note is on the second page.
func TestGitLab_NotesOfAllPages(t *testing.T) {
	t.Parallel()
	lab, f := newLab()
	forgeCase{
		kind: schemas.MutateComment, params: `{"body":"x","sticky":"a"}`, state: "done", reason: "with that text",
		open: func() int {
			n := lab.Open(repositoryID, fakegitlab.MergeRequest{})
			for range 100 {
				lab.Comment(repositoryID, n, "ann", "hello")
			}
			lab.Comment(repositoryID, n, bot, "x\n\n<!-- pawl-sticky:a@1 -->")
			return n
		},
	}.play(t, f)
}

// connect returns a client of a forge alone.
func connect(t *testing.T, f forge) actuator.Provider {
	t.Helper()
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	client, err := f.newClient(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestForges_Verdicts: what the answers mean that all forges give.
func TestForges_Verdicts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault *fakeforge.Fault
		read  string // the verdict of a read that is answered so
		write string // and of a change
		wait  time.Duration
	}{
		{name: "401", fault: &fakeforge.Fault{Status: 401, Message: "401 Unauthorized"}, read: "transient", write: "permanent"},
		{name: "403", fault: &fakeforge.Fault{Status: 403, Message: "403 Forbidden"}, read: "permanent", write: "permanent"},
		{name: "404", fault: &fakeforge.Fault{Status: 404, Message: "404 Not found"}, read: "permanent", write: "permanent"},
		{name: "409", fault: &fakeforge.Fault{Status: 409, Message: "in progress"}, read: "precondition gone", write: "precondition gone"},
		{name: "422", fault: &fakeforge.Fault{Status: 422}, read: "permanent", write: "permanent"},
		{name: "429", fault: fakeforge.TooManyRequests(30 * time.Second), read: "rate limited", write: "rate limited", wait: 31 * time.Second},
		{name: "500", fault: &fakeforge.Fault{Status: 500}, read: "transient", write: "unknown outcome"},
		{name: "503", fault: &fakeforge.Fault{Status: 503}, read: "transient", write: "unknown outcome"},
		{name: "no answer", fault: &fakeforge.Fault{Drop: true}, read: "unknown outcome", write: "unknown outcome"},
		{name: "408", fault: &fakeforge.Fault{Status: 408}, read: "transient", write: "transient"},
	}
	for _, tt := range tests {
		for _, of := range []func() forge{
			func() forge { lab, f := newLab(); lab.Open(repositoryID, fakegitlab.MergeRequest{}); return f },
			func() forge { tea, f := newTea(); tea.Open(emptyPull); return f },
		} {
			f := of()
			t.Run(tt.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				ref := actuator.Ref{Repository: repo, Number: 1}
				fault := func() *fakeforge.Fault {
					return &fakeforge.Fault{Status: tt.fault.Status, Message: tt.fault.Message, Header: tt.fault.Header, Drop: tt.fault.Drop, Times: 2}
				}
				f.core.Fail(fault())
				if _, err := connect(t, f).PullRequest(t.Context(), ref); err == nil {
					t.Error("read: no error")
				} else if got, _ := actuator.Classify(err); got != tt.read {
					t.Errorf("read: got %s, want %s: %v", got, tt.read, err)
				}
				err := connect(t, f).Close(t.Context(), ref)
				got, wait := actuator.Classify(err)
				if got != tt.write || (wait > tt.wait || wait < tt.wait-time.Second) {
					t.Errorf("change: got %s after %s, want %s after %s: %v", got, wait, tt.write, tt.wait, err)
				}
				if err != nil && strings.Contains(err.Error(), "t0ken") {
					t.Errorf("the token is in the error: %v", err)
				}
			})
		}
	}
}

// TestForges_CallNobodyAtConstruction: an address where nobody is.
func TestForges_CallNobodyAtConstruction(t *testing.T) {
	t.Parallel()
	for _, f := range forges() {
		if _, err := f.newClient("http://127.0.0.1:1"); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		for _, base := range []string{"api", "http://%", "/only/a/path", "ftp://host"} {
			if _, err := f.newClient(base); err == nil {
				t.Errorf("%s: %q is taken for an address", f.name, base)
			}
		}
	}
}

func forges() []forge {
	_, lab := newLab()
	_, tea := newTea()
	return []forge{lab, tea}
}

// TestForges_WaitAsTheAnswerSays: after a 429 no call leaves before its time.
func TestForges_WaitAsTheAnswerSays(t *testing.T) {
	t.Parallel()
	for _, f := range forges() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			client := connect(t, f)
			f.core.Fail(fakeforge.TooManyRequests(time.Minute))
			for range 2 {
				_, err := client.Login(t.Context())
				if got, wait := actuator.Classify(err); got != "rate limited" || wait < 59*time.Second {
					t.Errorf("got %s after %s: %v", got, wait, err)
				}
			}
			if got := len(f.core.Calls()); got != 1 {
				t.Errorf("calls: got %d, want 1", got)
			}
		})
	}
}

// TestGitLab_LimitHeaders: the last call of the minute was made.
func TestGitLab_LimitHeaders(t *testing.T) {
	t.Parallel()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("RateLimit-Remaining", "0")
		w.Header().Set("RateLimit-Reset", "33333333333")
		_, _ = w.Write([]byte(`{"username":"pawl"}`))
	}))
	t.Cleanup(server.Close)
	client, err := actuator.NewGitLab(actuator.GitLabConfig{BaseURL: server.URL}, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	if login, err := client.Login(t.Context()); login != bot || err != nil {
		t.Fatalf("got %q, %v", login, err)
	}
	_, err = client.PullRequest(t.Context(), actuator.Ref{Repository: repo, Number: 1})
	if got, _ := actuator.Classify(err); got != "rate limited" || calls != 1 {
		t.Errorf("got %s after %d calls: %v", got, calls, err)
	}
}

// TestForges_TokenGoesToNoOtherHost: the first host redirects to a second.
func TestForges_TokenGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	for _, f := range forges() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan string, 1)
			other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
			t.Cleanup(other.Close)
			first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
			t.Cleanup(first.Close)
			client, err := f.newClient(first.URL)
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.PullRequest(t.Context(), actuator.Ref{Repository: repo, Number: 1})
			if got, _ := actuator.Classify(err); got != "transient" {
				t.Errorf("got %s: %v", got, err)
			}
			select {
			case path := <-asked:
				t.Errorf("the other host was asked for %s", path)
			default:
			}
		})
	}
}
