package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pawl/internal/fakegithub"
	"pawl/internal/kafkatest"
)

// letter is what `pawl dead-letters` prints as JSON.
type letter struct {
	ID         int64
	Stage      string
	Entity     string
	Rule       string
	Kind       string
	Reason     string
	Sent       string
	Answer     string
	Resolution string
	ValueBytes int `json:"value_bytes"`
}

var greetRules = ruleSet{yaml: "rules:\n  - {name: greet, on: [opened], mutate: {comment: {body: hello}}}\n", listens: []string{"opened"}}

// TestDeadLetters_OfAMutation: refused, listed, shown, mended, retried, done.
func TestDeadLetters_OfAMutation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kafkatest.Start(t), greetRules)
	w.start("ingest", "ingest")
	w.start("projector", "projector")
	w.start("actuator", "actuator")
	w.pawl(0, "dead-letters", "list")

	w.github.Fail(fakegithub.Fault{Method: "POST", Path: "/comments", Times: -1, Status: http.StatusForbidden, Message: "Resource not accessible by integration"})
	number := w.github.Open(repository, fakegithub.PullRequest{Author: "ann"})
	w.post(w.lived())
	w.untilLetters(1)

	listed := w.pawl(1, "dead-letters", "list")
	if !strings.Contains(listed, "greet: comment") || !strings.Contains(listed, "github.com:101#1") || !strings.Contains(listed, "Resource not accessible") {
		t.Errorf("list:\n%s", listed)
	}
	w.pawl(0, "dead-letters", "list", "--entity", "github.com:101#99")
	w.pawl(0, "dead-letters", "list", "--stage", "projector")
	var all []letter
	decode(t, w.pawl(1, "dead-letters", "list", "--json"), &all)
	if len(all) != 1 || all[0].Rule != "greet" || all[0].Stage != "actuator" {
		t.Fatalf("list --json: got %+v", all)
	}
	id := fmt.Sprint(all[0].ID)
	var shown letter
	decode(t, w.pawl(0, "dead-letters", "show", id), &shown)
	if shown.Sent != "POST /repos/acme/api/issues/1/comments" || !strings.HasPrefix(shown.Answer, "403 Forbidden: Resource not accessible") {
		t.Errorf("show: got %+v", shown)
	}

	w.github.Heal()
	if got := w.pawl(0, "dead-letters", "retry", id); got != "retry "+id+"\n" {
		t.Errorf("retry: got %q", got)
	}
	eventually(t, 30*time.Second, "the comment is there", func() error {
		if got := len(w.github.Comments(repository, number)); got != 1 {
			return fmt.Errorf("%d comments", got)
		}
		return nil
	})
	w.pawl(0, "dead-letters", "list")
	decode(t, w.pawl(0, "dead-letters", "list", "--all", "--json"), &all)
	if len(all) != 1 || all[0].Resolution != "retried" {
		t.Errorf("list --all: got %+v", all)
	}
	w.pawl(1, "dead-letters", "retry", id) // nobody retries it twice
	w.pawl(1, "dead-letters", "show", "9999")
	w.pawl(2, "dead-letters", "show", "nine")
}

// TestDeadLetters_OfARecord: what cannot be folded is set aside, and folded once
// the cause is mended; what stays broken is dropped.
func TestDeadLetters_OfARecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kafkatest.Start(t), noRules)
	w.start("ingest", "ingest")
	w.start("projector", "projector")
	w.exec(`alter table pawl.pull_request add constraint refused check (title <> 'refused')`)
	w.github.Open(repository, fakegithub.PullRequest{Author: "ann", Title: "refused"})
	w.post(w.lived())
	w.untilLetters(1)

	var all []letter
	decode(t, w.pawl(1, "dead-letters", "list", "--stage", "projector", "--json"), &all)
	if len(all) != 1 || all[0].Entity != "github.com:101#1" || all[0].ValueBytes == 0 {
		t.Fatalf("list: got %+v", all)
	}
	first := fmt.Sprint(all[0].ID)
	w.pawl(0, "dead-letters", "retry", first) // it is set aside again
	w.untilLetters(2)
	decode(t, w.pawl(1, "dead-letters", "list", "--json"), &all)
	if len(all) != 1 || fmt.Sprint(all[0].ID) == first {
		t.Fatalf("after the first retry: got %+v, want one new letter", all)
	}
	w.exec(`alter table pawl.pull_request drop constraint refused`)
	w.pawl(0, "dead-letters", "retry", fmt.Sprint(all[0].ID))
	eventually(t, 30*time.Second, "the row is there", func() error {
		if got := counts[string, int](t, w.pool, `select title, number from pawl.pull_request`); got["refused"] != 1 {
			return fmt.Errorf("rows: %v", got)
		}
		return nil
	})
	w.pawl(0, "dead-letters", "list")

	w.exec(`alter table pawl.pull_request add constraint refused check (title <> 'refused') not valid`)
	w.github.Open(repository, fakegithub.PullRequest{Author: "ann", Title: "refused"})
	w.post(w.lived())
	w.untilLetters(3)
	decode(t, w.pawl(1, "dead-letters", "list", "--json"), &all)
	w.pawl(1, "dead-letters", "drop", fmt.Sprint(all[0].ID), first) // the first is not open any more
	w.pawl(0, "dead-letters", "list")
}

// untilLetters waits for so many dead letters, resolved ones among them.
func (w *world) untilLetters(want int) {
	w.t.Helper()
	eventually(w.t, 30*time.Second, "it is set aside", func() error {
		if got := counts[string, int](w.t, w.pool, `select 'all', count(*) from pawl.dead_letter`)["all"]; got != want {
			return fmt.Errorf("%d dead letters, want %d", got, want)
		}
		return nil
	})
}

func (w *world) exec(sql string) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql); err != nil {
		w.t.Fatal(err)
	}
}

// pawl runs a command, wants an exit status, and returns what it printed.
func (w *world) pawl(want int, args ...string) string {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), binary, args...)
	command.Env = append(os.Environ(), w.env...)
	output, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		w.t.Logf("%v: %s", args, exit.Stderr)
	}
	if got := command.ProcessState.ExitCode(); got != want {
		w.t.Fatalf("pawl %v: exit status %d, want %d:\n%s", args, got, want, output)
	}
	return string(output)
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
}
