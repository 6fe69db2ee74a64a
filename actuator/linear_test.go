package actuator_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/internal/fakelinear"
)

const (
	linearKey = "lin_api_s3cret"
	mirrorID  = "0f8fad5b-d9cb-469f-a165-70867728950e"
)

// newLinear returns a fake and a client to it.
func newLinear(t *testing.T, config fakelinear.Config) (*fakelinear.Server, *actuator.Linear) {
	t.Helper()
	config.Authorization, config.Name = linearKey, "Pawl"
	fake := fakelinear.New(config)
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	client, err := actuator.NewLinear(actuator.LinearConfig{BaseURL: server.URL, Token: linearKey}, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	return fake, client
}

// TestLinear_EachCall: what is there is found, made, edited and removed; what is not
// there is no error where it is looked for or removed. Errors come with status 200
// or 400.
func TestLinear_EachCall(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, http.StatusBadRequest} {
		fake, client := newLinear(t, fakelinear.Config{ErrorStatus: status})
		ctx := t.Context()
		want := fake.AddIssue("ENG-5")
		issue, ok, err := client.Issue(ctx, "ENG-5")
		if err != nil || !ok || issue.ID != want || issue.Identifier != "ENG-5" {
			t.Fatalf("issue: %+v, %t, %v", issue, ok, err)
		}
		if _, ok, err := client.Issue(ctx, "UTF-8"); ok || err != nil {
			t.Errorf("an issue that is none: %t, %v", ok, err)
		}
		if _, ok, err := client.IssueComment(ctx, mirrorID); ok || err != nil {
			t.Errorf("a comment that is none: %t, %v", ok, err)
		}
		if err := client.UpdateIssueComment(ctx, mirrorID, "x"); verdictOf(err) != "permanent" {
			t.Errorf("edit what is not there: %v", err)
		}
		if err := client.CreateIssueComment(ctx, issue.ID, mirrorID, "hello"); err != nil {
			t.Fatal(err)
		}
		if err := client.CreateIssueComment(ctx, issue.ID, mirrorID, "again"); verdictOf(err) != "permanent" {
			t.Errorf("a second comment of one id: %v", err)
		}
		if err := client.UpdateIssueComment(ctx, mirrorID, "hello all"); err != nil {
			t.Error(err)
		}
		found, ok, err := client.IssueComment(ctx, mirrorID)
		if err != nil || !ok || found.Body != "hello all" || found.IssueID != issue.ID || len(fake.Comments("ENG-5")) != 1 {
			t.Errorf("comment: %+v, %t, %v; %d are there", found, ok, err, len(fake.Comments("ENG-5")))
		}
		for range 2 {
			if err := client.DeleteIssueComment(ctx, mirrorID); err != nil {
				t.Error(err)
			}
		}
		if got := len(fake.Comments("ENG-5")); got != 0 {
			t.Errorf("%d comments are left", got)
		}
	}
}

func verdictOf(err error) string {
	if err == nil {
		return "none"
	}
	verdict, _ := actuator.Classify(err)
	return verdict
}

func fails(status int, body any) func() *fakelinear.Fault {
	return func() *fakelinear.Fault { return &fakelinear.Fault{Status: status, Body: body} }
}

// TestLinear_Failures of calls that change and of calls that look, and what each
// means.
func TestLinear_Failures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		fault        func() *fakelinear.Fault
		change, look string
	}{
		{name: "RATELIMITED", fault: fails(400, fakelinear.Errors("RATELIMITED", "Rate limit exceeded")), change: "rate limited", look: "rate limited"},
		{name: "429", fault: fails(429, nil), change: "rate limited", look: "rate limited"},
		{name: "errors with 200", fault: fails(200, fakelinear.Errors("FORBIDDEN", "no")), change: "permanent", look: "permanent"},
		{
			name:   "errors beside data",
			fault:  fails(200, map[string]any{"data": map[string]any{"payload": map[string]any{"success": true}}, "errors": []any{map[string]any{"message": "half"}}}),
			change: "permanent", look: "permanent",
		},
		{name: "no success", fault: fails(200, map[string]any{"data": map[string]any{"payload": map[string]any{"success": false}}}), change: "permanent", look: "none"},
		{name: "internal", fault: fails(200, fakelinear.Errors("INTERNAL_SERVER_ERROR", "oops")), change: "unknown outcome", look: "transient"},
		{name: "502", fault: fails(502, nil), change: "unknown outcome", look: "transient"},
		{name: "no token any more", fault: fails(401, fakelinear.Errors("AUTHENTICATION_ERROR", "who?")), change: "transient", look: "transient"},
		{name: "cut", fault: func() *fakelinear.Fault { return &fakelinear.Fault{Drop: true} }, change: "unknown outcome", look: "unknown outcome"},
		{name: "no JSON", fault: fails(200, "hello"), change: "unknown outcome", look: "unknown outcome"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fake, client := newLinear(t, fakelinear.Config{})
			id := fake.AddIssue("ENG-5")
			fake.Fail(test.fault())
			err := client.CreateIssueComment(t.Context(), id, mirrorID, "hello")
			if got := verdictOf(err); got != test.change {
				t.Errorf("a change: %s, want %s: %v", got, test.change, err)
			}
			if err != nil && strings.Contains(err.Error(), linearKey) {
				t.Errorf("the error tells the key: %v", err)
			}
			if strings.Contains(test.name, "RATE") || test.name == "429" {
				return // the budget keeps the next call back
			}
			fake.Fail(test.fault())
			if _, _, err := client.IssueComment(t.Context(), mirrorID); verdictOf(err) != test.look {
				t.Errorf("a look: %s, want %s: %v", verdictOf(err), test.look, err)
			}
		})
	}
}

// TestLinear_TheBudgetKeepsCallsBack: where the headers say that nothing is left,
// no call is made until the time that they name.
func TestLinear_TheBudgetKeepsCallsBack(t *testing.T) {
	t.Parallel()
	fake, client := newLinear(t, fakelinear.Config{Remaining: 2})
	for range 4 {
		_, _, _ = client.Issue(context.Background(), "ENG-5")
	}
	_, _, err := client.Issue(context.Background(), "ENG-5")
	verdict, wait := actuator.Classify(err)
	if calls := len(fake.Calls()); calls != 2 || verdict != "rate limited" || wait < 50*time.Minute || wait > 2*time.Hour {
		t.Errorf("%d calls, then %s for %s: %v", calls, verdict, wait, err)
	}
}

// TestLinear_TokensStandAsTheyAreDocumented: a personal key alone, another token
// behind Bearer.
func TestLinear_TokensStandAsTheyAreDocumented(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{linearKey: linearKey, "lin_oauth_x": "Bearer lin_oauth_x"} {
		got := ""
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("Authorization")
			_, _ = w.Write([]byte(`{"data":{"issue":{"id":"i1","identifier":"ENG-5"}}}`))
		}))
		t.Cleanup(server.Close)
		client, err := actuator.NewLinear(actuator.LinearConfig{BaseURL: server.URL, Token: token}, prometheus.NewRegistry())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := client.Issue(t.Context(), "ENG-5"); !ok || err != nil || got != want {
			t.Errorf("%s: %q, %t, %v", token, got, ok, err)
		}
	}
}
