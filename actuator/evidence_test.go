package actuator_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// trace is the evidence in a mutation's row.
type trace struct{ State, Seen, Sent, Answer string }

func (r *rig) trace(number int) trace {
	r.t.Helper()
	var got trace
	err := r.pool.QueryRow(r.t.Context(), `select state, coalesce(seen, ''), coalesce(sent, ''), coalesce(answer, '')
	                                         from pawl.mutation where entity_key = $1 order by id desc limit 1`,
		entityOf(number)).Scan(&got.State, &got.Seen, &got.Sent, &got.Answer)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func TestEvidence_OfEachWayToEnd(t *testing.T) {
	t.Parallel()
	const comments, labels = "POST /repos/acme/api/issues/1/comments", "POST /repos/acme/api/issues/1/labels"
	lost := fakegithub.Fault{Method: "POST", AfterApplying: true, Drop: true}
	tests := []struct {
		name, mutate string
		between      func(r *rig) // after the decision
		want         trace
	}{
		{
			name: "done", mutate: "{comment: {body: 'a secret of ours'}}",
			want: trace{"done", "to be done", comments, "201 Created"},
		},
		{
			name: "found", mutate: "{add_labels: [x]}",
			between: func(r *rig) { r.github.Label(repo, 1, "octocat", "x") },
			want:    trace{State: "done", Seen: "the labels are there"},
		},
		{
			name: "found after a lost answer", mutate: "{add_labels: [x]}",
			between: func(r *rig) { r.github.Fail(lost) },
			want:    trace{"done", "the labels are there", labels, "no answer"},
		},
		{
			name: "skipped for what was seen", mutate: "{merge: {}}",
			between: func(r *rig) { r.github.Close(repo, 1, "octocat") },
			want:    trace{State: "skipped", Seen: "found closed"},
		},
		{
			name: "skipped by the rule, before a look", mutate: "{merge: {}}",
			between: func(r *rig) { r.github.Close(repo, 1, "octocat"); r.fold(1) },
			want:    trace{State: "skipped"},
		},
		{
			name: "dead", mutate: "{comment: {body: 'a secret of ours'}}",
			between: func(r *rig) { r.github.Fail(refuse("POST", "/comments")) },
			want:    trace{"dead", "to be done", comments, "403 Forbidden: Resource not accessible by integration"},
		},
		{
			name: "to be tried again", mutate: "{comment: {body: 'a secret of ours'}}",
			between: func(r *rig) {
				r.github.Fail(fakegithub.Fault{Method: "POST", Status: http.StatusBadGateway, Message: "Server Error"})
			},
			want: trace{"pending", "to be done", comments, "502 Bad Gateway: Server Error"},
		},
		{
			name: "not sent for a limit", mutate: "{comment: {body: 'a secret of ours'}}",
			between: func(r *rig) { r.github.Fail(fakegithub.Fault{Method: "GET", Status: http.StatusTooManyRequests}) },
			want:    trace{State: "pending"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, ruleOf(tt.mutate))
			a := r.actor("a")
			number := r.github.Open(repo, fakegithub.PullRequest{})
			r.decide(a, r.turn(number, schemas.KindLabelsChanged))
			if tt.between != nil {
				tt.between(r)
			}
			r.passes(a)
			got := r.trace(number)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("evidence (-want +got):\n%s\nreason: %s", diff, r.reason(number))
			}
			row := query[string](r, `select m::text || coalesce((select string_agg(d.reason, '') from pawl.dead_letter d), '') from pawl.mutation m`)
			if strings.Contains(row, "t0ken") {
				t.Errorf("the token is in the row: %s", row)
			}
			if strings.Contains(got.Seen+got.Sent+got.Answer+r.reason(number), "a secret of ours") {
				t.Errorf("the body is in the evidence: %+v", got)
			}
		})
	}
}

// TestEvidence_OfAnEarlierAttemptStays: what was sent in the first attempt is
// why the second one found it.
func TestEvidence_OfAnEarlierAttemptStays(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{add_labels: [x]}"))
	a := r.actor("a")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(a, r.turn(number, schemas.KindLabelsChanged))
	r.github.Fail(
		fakegithub.Fault{Method: "POST", AfterApplying: true, Status: http.StatusBadGateway},
		fakegithub.Fault{Method: "GET"}, // the first look
		fakegithub.Fault{Method: "GET", Status: http.StatusBadGateway},
	)
	r.passes(a)
	if got := r.trace(number); got.State != "pending" {
		t.Fatalf("after the first attempt: got %+v, want it pending", got)
	}
	r.due()
	r.passes(a)
	want := trace{"done", "the labels are there", "POST /repos/acme/api/issues/1/labels", "502 Bad Gateway"}
	if diff := cmp.Diff(want, r.trace(number)); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

// answers is a transport that answers as it is told.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) { return a(request) }

func TestEvidence_HoldsNoQueryNoHeaderNoBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1000)
	tests := []struct {
		name, method       string
		status             int
		body               string
		err                error
		sent, answer       string
		wantsAnswerInShort bool
	}{
		{"success", "POST", 201, `{"message":"hunter2"}`, nil, "POST /a/b", "201 Created", false},
		{"refusal", "PUT", 422, `{"message":"Head is not it"}`, nil, "PUT /a/b", "422 Unprocessable Entity: Head is not it", false},
		{"refusal by field", "PUT", 400, `{"message":{"base":["is wrong"]}}`, nil, "PUT /a/b", "400 Bad Request: base is wrong", false},
		{"refusal without JSON", "PATCH", 502, `<html>hunter2</html>`, nil, "PATCH /a/b", "502 Bad Gateway", false},
		{"no answer", "DELETE", 0, "", errors.New("hunter2"), "DELETE /a/b", "no answer", false},
		{"a read", "GET", 404, `{"message":"Not Found"}`, nil, "", "", false},
		{"a novel", "POST", 400, `{"message":"` + long + `"}`, nil, "POST /a/b", "400 Bad Request: ", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			request, err := http.NewRequestWithContext(t.Context(), tt.method, "https://u:hunter2@h/a/b?token=hunter2#hunter2", strings.NewReader("hunter2"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer hunter2")
			sent, answer, response, err := actuator.Evidence(answers(func(*http.Request) (*http.Response, error) {
				if tt.err != nil {
					return nil, tt.err
				}
				return &http.Response{StatusCode: tt.status, Body: io.NopCloser(strings.NewReader(tt.body)), Header: http.Header{"X": {"hunter2"}}}, nil
			}), request)
			if !errors.Is(err, tt.err) {
				t.Fatal(err)
			}
			if tt.wantsAnswerInShort {
				if len(answer) > 700 || !strings.HasPrefix(answer, tt.answer) {
					t.Errorf("answer of %d bytes: %.40q", len(answer), answer)
				}
			} else if answer != tt.answer {
				t.Errorf("answer: got %q, want %q", answer, tt.answer)
			}
			if sent != tt.sent {
				t.Errorf("sent: got %q, want %q", sent, tt.sent)
			}
			if strings.Contains(sent+answer, "hunter2") {
				t.Errorf("a secret is in %q, %q", sent, answer)
			}
			if response == nil {
				return
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); err != nil || string(body) != tt.body {
				t.Errorf("the body that is left: %q, %v, want all of it", body, err)
			}
		})
	}
}
