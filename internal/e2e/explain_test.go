package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pawl/internal/kafkatest"
)

// TestExplain asks `pawl explain` and `pawl simulate` about deliveries that went
// the whole way, one of them signed with a secret that nobody has, and about what
// rules decided on them. The rules act on nobody; that a provider was called is
// written into the rows.
func TestExplain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kafkatest.Start(t), noRules)
	config := filepath.Join(t.TempDir(), "pawl.yaml")
	text := `version: 1
sources:
  - {name: github, provider: github, secrets: ["env:PAWL_GITHUB_SECRET"]}
  - {name: linear, provider: linear, secrets: ["env:PAWL_LINEAR_SECRET"]}
  - {name: statuspage, provider: statuspage, secrets: ["env:PAWL_STATUS_TOKEN"]}
  - {name: spare, provider: github, instance: ghe.example.com, secrets: ["env:PAWL_GITHUB_SECRET"]}
mode: plan
conditions: {reviewed: pr.approvals_of_head >= 1 && pr.changes_requested == 0}
rules:
  - {name: say-failed, on: [checks_changed], when: 'pr.checks_state == "failure"', once: head, mutate: {comment: {body: "The checks of {{pr.head_sha}} fail."}}}
  - {name: merge-reviewed, on: [reviews_changed, checks_changed], when: 'pr.state == "open" && reviewed && checks["unit"] == "success"', once: head, mutate: {merge: {method: squash}}}
  - {name: nudge, on: [reviews_changed], after: 336h, once: entity, mutate: {comment: {body: "Still open."}}}
  - {name: elsewhere, on: [reviews_changed], repositories: [other/*], mutate: {close: {}}}
  - {name: mirror, on: [comment_created, comment_edited], mutate: {bridge_comment: {to: pull_request}}}
  - {name: tell, on: [component_changed], mutate: {notify: {url: "env:NOWHERE", text: "{{component.name}} is {{component.status}}"}}}
  - {name: say-closed, on: [closed], when: '!pr.draft', mutate: {comment: {body: Closed.}}}
`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "PAWL_CONFIG="+config, "PAWL_STATUS_TOKEN=e2e-status-token", "NOWHERE=https://hooks.example.com/x")
	w.start("ingest", "ingest")
	w.start("projector", "projector")
	w.start("actuator", "actuator")
	w.send(0, "testdata/explain/named.txtar")
	eventually(t, 60*time.Second, "the pull requests are there", func() error { return w.folded(4) })
	w.send(0, "testdata/explain/lived.txtar")
	w.send(1, "--secret", "file:testdata/explain/ping.json", "--event", "ping", "testdata/explain/ping.json")
	eventually(t, 60*time.Second, "all is folded", func() error { return w.folded(14) })
	w.send(0, "testdata/explain/elsewhere.txtar")
	w.send(0, "--source", "statuspage", "testdata/explain/component.json")
	w.send(2, "--source", "linear", "testdata/explain/component.json") // needs --event
	eventually(t, 60*time.Second, "what happened elsewhere is folded", func() error { return w.folded(20) })

	eventually(t, 60*time.Second, "all is decided", func() error { return w.decided(15) })
	w.pretend(`update pawl.mutation set state = 'done', settled_at = now(), attempt = 2, seen = 'no comment carries the marker',
	                  sent = 'POST /repos/acme/api/issues/7/comments', answer = '201 Created'
	            where rule = 'say-failed'`)
	w.pretend(`update pawl.mutation set state = 'waiting', next_attempt_at = '2030-01-15T00:00:00Z' where rule = 'nudge'`)

	testscript.Run(t, testscript.Params{
		Files: scripts("explain", "rule", "simulate", "coverage"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(binary))
			env.Vars = append(env.Vars, w.env...)
			return nil
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		RequireExplicitExec: true,
	})
}

// send runs `pawl send` and wants an exit status.
func (w *world) send(want int, args ...string) {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), binary, append([]string{"send", "--url", "http://" + w.webhooks}, args...)...)
	command.Env = append(os.Environ(), w.env...)
	output, _ := command.CombinedOutput()
	if got := command.ProcessState.ExitCode(); got != want {
		w.t.Fatalf("pawl send: exit status %d, want %d:\n%s", got, want, output)
	}
}

// folded returns nil when so many records have their verdict.
func (w *world) folded(want int) error {
	var got int
	if err := w.pool.QueryRow(w.t.Context(), `select count(*) from pawl.delivery`).Scan(&got); err != nil {
		w.t.Fatal(err)
	}
	if got != want {
		return fmt.Errorf("%d records are folded, want %d", got, want)
	}
	return nil
}

// scripts returns the files of some scripts about explaining.
func scripts(names ...string) []string {
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = filepath.Join("testdata", "explain", name+".txtar")
	}
	return files
}

// decided returns nil when there are so many decisions.
func (w *world) decided(want int) error {
	var got int
	if err := w.pool.QueryRow(w.t.Context(), `select count(*) from pawl.decision`).Scan(&got); err != nil {
		w.t.Fatal(err)
	}
	if got != want {
		return fmt.Errorf("there are %d decisions, want %d", got, want)
	}
	return nil
}

// pretend changes rows as an actor would have.
func (w *world) pretend(sql string) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql); err != nil {
		w.t.Fatal(err)
	}
}
