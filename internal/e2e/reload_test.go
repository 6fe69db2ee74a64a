package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"pawl/internal/fakegithub"
	"pawl/internal/kafkatest"
)

func labelRules(label string) string {
	return fmt.Sprintf("rules:\n  - {name: %[1]s, on: [opened], mutate: {add_labels: [%[1]s]}}\n", label)
}

// TestReload_NewRulesActAndFaultyOnesDoNot: the file changes while everything
// runs; then it is broken; then a person mends it and sends SIGHUP.
func TestReload_NewRulesActAndFaultyOnesDoNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kafkatest.Start(t), ruleSet{yaml: labelRules("first"), listens: []string{"opened"}})
	w.start("ingest", "ingest")
	w.start("projector", "projector")
	actuator := w.start("actuator", "actuator")
	file := w.configFile()
	head, _, _ := strings.Cut(readText(t, file), "rules:")

	w.wantLabel("first")

	writeText(t, file, head+labelRules("second"))
	eventually(t, 30*time.Second, "the new rules are read", func() error {
		return hasMetric(t.Context(), actuator, `pawl_actuator_rules_reload_total{outcome="changed"} 1`)
	})
	w.wantLabel("second")

	writeText(t, file, head+strings.Replace(labelRules("third"), "opened", "opned", 1))
	eventually(t, 30*time.Second, "the faulty rules are refused", func() error {
		return hasMetric(t.Context(), actuator, `pawl_actuator_rules_reload_total{outcome="faulty"} 1`)
	})
	w.wantLabel("second")
	if output := actuator.output.tail(1 << 20); !strings.Contains(output, `did you mean \"opened\"`) {
		t.Errorf("the log does not tell the fault:\n%s", output)
	}

	writeText(t, file, head+labelRules("third"))
	if err := actuator.command.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "the mended rules are read", func() error {
		return hasMetric(t.Context(), actuator, `pawl_actuator_rules_reload_total{outcome="changed"} 2`)
	})
	w.wantLabel("third")

	hashes := counts[string, int](t, w.pool, `select string_agg(rule, ',' order by decided_at), count(*) from pawl.decision group by rules_hash`)
	if hashes["first"] != 1 || hashes["second,second"] != 2 || hashes["third"] != 1 || len(hashes) != 3 {
		t.Errorf("decisions by the hash of their rules: got %v", hashes)
	}
}

// wantLabel opens a pull request and wants it labeled by the rules of the moment.
func (w *world) wantLabel(label string) {
	w.t.Helper()
	number := w.github.Open(repository, fakegithub.PullRequest{Author: "ann"})
	w.post(w.lived())
	eventually(w.t, 30*time.Second, "a label is there", func() error {
		switch labels := w.github.PullRequest(repository, number).Labels; {
		case len(labels) == 0:
			return fmt.Errorf("#%d has none", number)
		case len(labels) != 1 || labels[0] != label:
			w.t.Fatalf("#%d has %v, want %s", number, labels, label)
		}
		return nil
	})
	w.lived() // the echo of our own act
}

func (w *world) configFile() string {
	for _, variable := range w.env {
		if file, ok := strings.CutPrefix(variable, "PAWL_CONFIG="); ok {
			return file
		}
	}
	w.t.Fatal("there is no configuration")
	return ""
}

// hasMetric returns nil where a process shows a metric with that value.
func hasMetric(ctx context.Context, p *program, line string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.operations+"/metrics", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	shown, err := io.ReadAll(response.Body)
	if err == nil && !strings.Contains(string(shown), line+"\n") {
		err = fmt.Errorf("there is no %s", line)
	}
	return err
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
