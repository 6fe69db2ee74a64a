package fakegithub_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/fakegithub"
	"pawl/internal/provider"
	"pawl/schemas"
)

const repo = "acme/api"

func start(t *testing.T, config fakegithub.Config) (*fakegithub.Server, string) {
	t.Helper()
	fake := fakegithub.New(config)
	fake.AddRepository(101, repo)
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	return fake, server.URL
}

// call returns the status (0 where the connection was dropped), the headers and
// the body of an answer.
func call(t *testing.T, method, url, body string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, ""
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(read)
}

func TestMerge_Answers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pr     fakegithub.PullRequest
		body   string
		before func(*fakegithub.Server)
		status int
		says   string
	}{
		{name: "merges", body: `{"sha":"aaaa"}`, status: 200, says: `"merged":true`},
		{name: "without a sha", body: `{}`, status: 200},
		{name: "head moved", body: `{"sha":"bbbb"}`, status: 409, says: "Head branch was modified"},
		{name: "closed", body: `{}`, before: func(s *fakegithub.Server) { s.Close(repo, 1, "ann") }, status: 405, says: "not mergeable"},
		{name: "merged", body: `{}`, before: func(s *fakegithub.Server) { s.Merge(repo, 1, "ann") }, status: 405, says: "not mergeable"},
		{name: "draft", pr: fakegithub.PullRequest{Draft: true}, body: `{}`, status: 405, says: "draft"},
		{
			name: "race", body: `{}`, status: 405, says: fakegithub.MessageBaseModified,
			before: func(s *fakegithub.Server) { s.Block(repo, 1, fakegithub.MessageBaseModified) },
		},
		{name: "no JSON", body: `{`, status: 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake, url := start(t, fakegithub.Config{})
			tt.pr.HeadSHA = "aaaa"
			fake.Open(repo, tt.pr)
			if tt.before != nil {
				tt.before(fake)
			}
			status, _, body := call(t, "PUT", url+"/repos/acme/api/pulls/1/merge", tt.body)
			if status != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("got %d %s, want %d with %q", status, body, tt.status, tt.says)
			}
			merged, _, _ := call(t, "GET", url+"/api/v3/repos/acme/api/pulls/1/merge", "")
			want := http.StatusNotFound
			if fake.PullRequest(repo, 1).Merged {
				want = http.StatusNoContent
			}
			if merged != want {
				t.Errorf("merged: got %d, want %d", merged, want)
			}
		})
	}
}

func TestComments_AllPagesByTheLinkHeader(t *testing.T) {
	t.Parallel()
	fake, url := start(t, fakegithub.Config{})
	fake.Open(repo, fakegithub.PullRequest{})
	for i := range 65 {
		fake.Comment(repo, 1, "ann", fmt.Sprint(i))
	}
	next, seen, pages := url+"/repos/acme/api/issues/1/comments", 0, 0
	for next != "" {
		_, header, body := call(t, "GET", next, "")
		var comments []struct{ Body string }
		if err := json.Unmarshal([]byte(body), &comments); err != nil {
			t.Fatal(err)
		}
		for _, c := range comments {
			if c.Body != fmt.Sprint(seen) {
				t.Errorf("comment %d: got %s", seen, c.Body)
			}
			seen++
		}
		pages++
		next = ""
		for part := range strings.SplitSeq(header.Get("Link"), ", ") {
			if target, ok := strings.CutSuffix(part, `>; rel="next"`); ok {
				next = strings.TrimPrefix(target, "<")
			}
		}
	}
	if seen != 65 || pages != 3 {
		t.Errorf("got %d comments on %d pages, want 65 on 3", seen, pages)
	}
}

func TestLabels_AreASet(t *testing.T) {
	t.Parallel()
	fake, url := start(t, fakegithub.Config{})
	fake.Open(repo, fakegithub.PullRequest{})
	labels := url + "/repos/acme/api/issues/1/labels"
	for _, body := range []string{`{"labels":["a","b/c"]}`, `["A"]`} {
		if status, _, _ := call(t, "POST", labels, body); status != 200 {
			t.Errorf("add %s: got %d", body, status)
		}
	}
	if diff := cmp.Diff([]string{"a", "b/c"}, fake.PullRequest(repo, 1).Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	for i, want := range []int{200, 404} {
		if status, _, _ := call(t, "DELETE", labels+"/b%2Fc", ""); status != want {
			t.Errorf("removal %d: got %d, want %d", i+1, status, want)
		}
	}
	if got := len(fake.EffectsBy("pawl[bot]")); got != 3 {
		t.Errorf("effects: got %d, want 3", got)
	}
}

// TestFault_BeforeAndAfterApplying: what the caller sees is the same, what the
// provider shows is not.
func TestFault_BeforeAndAfterApplying(t *testing.T) {
	t.Parallel()
	for _, drop := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("drop %v, after %v", drop, after), func(t *testing.T) {
				t.Parallel()
				fake, url := start(t, fakegithub.Config{})
				fake.Open(repo, fakegithub.PullRequest{})
				fault, want := fakegithub.BadGateway(), 502
				if drop {
					fault, want = fakegithub.Fault{Drop: true}, 0
				}
				fault.Method, fault.AfterApplying, fault.Times = "PATCH", after, 2
				fake.Fail(fault)
				for range 2 {
					if status, _, _ := call(t, "PATCH", url+"/repos/acme/api/pulls/1", `{"state":"closed"}`); status != want {
						t.Errorf("status: got %d, want %d", status, want)
					}
				}
				if got := fake.PullRequest(repo, 1).Closed; got != after {
					t.Errorf("closed: got %v, want %v", got, after)
				}
				if status, _, _ := call(t, "PATCH", url+"/repos/acme/api/pulls/1", `{"state":"closed"}`); status != 200 {
					t.Errorf("status after the faults: got %d", status)
				}
				if got := len(fake.EffectsBy("pawl[bot]")); got != 1 {
					t.Errorf("effects: got %d, want 1", got)
				}
			})
		}
	}
}

func TestLimits_Headers(t *testing.T) {
	t.Parallel()
	reset := time.Now().Add(time.Hour)
	fake, url := start(t, fakegithub.Config{})
	fake.Fail(fakegithub.PrimaryLimit(reset), fakegithub.SecondaryLimit(time.Minute), fakegithub.TooManyRequests(time.Minute))
	want := []string{fmt.Sprint("403 0 ", reset.Unix(), " "), "403 60", "429 60", "200"}
	for i, want := range want {
		status, header, _ := call(t, "GET", url+"/user", "")
		got := fmt.Sprint(status)
		switch i {
		case 0:
			got += " " + header.Get("X-Ratelimit-Remaining") + " " + header.Get("X-Ratelimit-Reset") + " "
		case 1, 2:
			got += " " + header.Get("Retry-After")
		}
		if got != want {
			t.Errorf("call %d: got %q, want %q", i+1, got, want)
		}
	}
}

// TestWebhooks_AreReadByTheProvider: every change is told, in order, in bodies
// that our own decoding reads as what the fake shows.
func TestWebhooks_AreReadByTheProvider(t *testing.T) {
	t.Parallel()
	var told []fakegithub.Webhook
	fake, url := start(t, fakegithub.Config{Webhook: func(w fakegithub.Webhook) { told = append(told, w) }})
	fake.Open(repo, fakegithub.PullRequest{HeadSHA: "aaaa"})
	fake.Label(repo, 1, "ann", "automerge")
	fake.Push(repo, 1, "ann", "bbbb")
	fake.Comment(repo, 1, "ann", "hello")
	call(t, "PUT", url+"/repos/acme/api/pulls/1/merge", `{"sha":"bbbb"}`)
	github, _ := provider.ByName("github")
	var got []string
	var last schemas.Event
	for _, w := range told {
		record, err := github.Seal(provider.Delivery{
			Header: http.Header{"X-Github-Event": {w.Event}, "X-Github-Delivery": {w.ID}}, Raw: w.Body,
			ContentType: "application/json", Instance: "github.com", Source: "github",
		})
		if err != nil {
			t.Fatal(err)
		}
		if last, err = provider.Decode(record); err != nil || last.Ignored != "" {
			t.Fatalf("%s %s: %v, ignored: %s", w.Event, w.Action, err, last.Ignored)
		}
		got = append(got, string(record.Key)+" "+last.Name+" "+last.Action)
	}
	want := []string{
		"github.com:101#1 pull_request opened", "github.com:101#1 pull_request labeled", "github.com:101#1 pull_request synchronize",
		"github.com:101#1 issue_comment created", "github.com:101#1 pull_request closed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("webhooks (-want +got):\n%s", diff)
	}
	if pr := last.PullRequest; !pr.Merged.Value || pr.HeadSHA.Value != "bbbb" || last.Sender.Login != "pawl[bot]" || !last.Sender.IsBot {
		t.Errorf("last: got %+v by %+v", pr, last.Sender)
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	_, url := start(t, fakegithub.Config{Token: "t"})
	if status, _, _ := call(t, "GET", url+"/user", ""); status != 401 {
		t.Errorf("without a token: got %d, want 401", status)
	}
}
