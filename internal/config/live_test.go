package config_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator/rules"
	"pawl/internal/config"
)

// followed is a file that is followed, and what is said of it.
type followed struct {
	t        *testing.T
	file     string
	live     *config.Live
	log      *bytes.Buffer
	registry *prometheus.Registry
	writes   int
}

func follow(t *testing.T, text string, settings config.LiveConfig) *followed {
	t.Helper()
	f := &followed{t: t, file: filepath.Join(t.TempDir(), "pawl.yaml"), log: new(bytes.Buffer), registry: prometheus.NewRegistry()}
	f.write(text)
	loaded, err := config.Load(f.file, nothing)
	if err != nil {
		t.Fatal(err)
	}
	settings.Lookup = nothing
	f.live = config.NewLive(loaded, settings, slog.New(slog.NewTextHandler(f.log, nil)), f.registry)
	return f
}

// write replaces the file. Its time moves even where the clock is coarse.
func (f *followed) write(text string) {
	f.t.Helper()
	f.writes++
	written := f.file + ".new"
	if err := os.WriteFile(written, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, f.writes, 0, time.UTC)
	if err := errors.Join(os.Chtimes(written, at, at), os.Rename(written, f.file)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *followed) looks(times int) {
	for range times {
		f.live.Look(f.t.Context())
	}
}

func (f *followed) reloads() map[string]float64 {
	f.t.Helper()
	families, err := f.registry.Gather()
	if err != nil {
		f.t.Fatal(err)
	}
	counted := make(map[string]float64)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			counted[metric.GetLabel()[0].GetValue()] += metric.GetCounter().GetValue()
		}
	}
	return counted
}

func (f *followed) wantReloads(changed, unchanged, faulty float64) {
	f.t.Helper()
	want := map[string]float64{"changed": changed, "unchanged": unchanged, "faulty": faulty}
	if diff := cmp.Diff(f.reloads(), want); diff != "" {
		f.t.Errorf("reloads (-got +want):\n%s", diff)
	}
}

func (f *followed) wantRules(names ...string) {
	f.t.Helper()
	got := []string{}
	for _, rule := range f.live.RuleSet().Rules() {
		got = append(got, rule.Name)
	}
	if diff := cmp.Diff(got, names); diff != "" {
		f.t.Errorf("rules (-got +want):\n%s", diff)
	}
}

func ruleNamed(name string) string {
	return fmt.Sprintf("rules:\n  - {name: %s, on: [opened], mutate: {comment: {body: hi}}}\n", name)
}

func TestLive_ChangedFileIsReadOnceItHasStopped(t *testing.T) {
	t.Parallel()
	f := follow(t, ruleNamed("old"), config.LiveConfig{})
	f.looks(3)
	f.wantReloads(0, 0, 0)
	f.write(ruleNamed("new"))
	f.looks(1)
	f.wantRules("old") // it may still be written
	f.looks(1)
	f.wantRules("new")
	f.looks(3)
	f.wantReloads(1, 0, 0)
	if got := f.log.String(); !strings.Contains(got, "hash="+f.live.RuleSet().Hash) {
		t.Errorf("the log does not name hash %s:\n%s", f.live.RuleSet().Hash, got)
	}
}

// TestLive_HalfWrittenFileIsNotRead: an empty file is a good file without rules.
func TestLive_HalfWrittenFileIsNotRead(t *testing.T) {
	t.Parallel()
	f := follow(t, ruleNamed("old"), config.LiveConfig{})
	f.write("")
	f.looks(1)
	f.write(ruleNamed("new"))
	f.looks(1)
	f.wantRules("old")
	f.looks(1)
	f.wantRules("new")
	f.wantReloads(1, 0, 0)
}

func TestLive_FaultyFileLeavesTheOldRules(t *testing.T) {
	t.Parallel()
	f := follow(t, ruleNamed("old"), config.LiveConfig{})
	f.write("rules:\n  - {name: new, on: [opned], mutate: {close: {}}}\ncolour: red\n")
	f.looks(5)
	f.wantRules("old")
	f.wantReloads(0, 0, 1) // told once
	for _, want := range []string{"level=ERROR", `did you mean`, "unknown key", ":2:", ":3:"} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, f.log)
		}
	}
	f.write(ruleNamed("new"))
	f.looks(2)
	f.wantRules("new")
	if err := os.Remove(f.file); err != nil {
		t.Fatal(err)
	}
	f.looks(3)
	f.wantRules("new")
	f.wantReloads(1, 0, 2)
}

func TestLive_ModeAndLimitsReloadAndTheRestAsksForARestart(t *testing.T) {
	t.Parallel()
	const head = "sources: [{name: a, provider: github, secrets: [\"env:X\"]}]\n"
	f := follow(t, head+ruleNamed("r"), config.LiveConfig{})
	hash := f.live.RuleSet().Hash
	f.write("# said anew\n" + head + ruleNamed("r"))
	f.looks(2)
	f.wantReloads(0, 1, 0)
	f.write("mode: plan\nlimits: {per_rule: 3}\nkafka: {partitions: 9}\n" + ruleNamed("r"))
	f.looks(2)
	f.wantReloads(1, 1, 0)
	got := f.live.RuleSet()
	if got.Mode != rules.ModePlan || got.Limits().PerRule != 3 || got.Hash == hash {
		t.Errorf("got mode %s, limits %+v, hash %s", got.Mode, got.Limits(), got.Hash)
	}
	if !strings.Contains(f.log.String(), `settings="sources, kafka"`) {
		t.Errorf("the log does not tell what needs a restart:\n%s", f.log)
	}
	f.write("mode: act\nlimits: {per_rule: 3}\n" + head + ruleNamed("r"))
	f.looks(2) // the mode alone
	if f.live.RuleSet().Mode != rules.ModeAct {
		t.Error("the mode alone was not reloaded")
	}
}

func TestLive_RefusesWhatTheProcessCannotChangeTo(t *testing.T) {
	t.Parallel()
	f := follow(t, "mode: plan\n"+ruleNamed("old"), config.LiveConfig{Accept: func(next *config.Config) error {
		if next.Mode == rules.ModeAct {
			return errors.New("there is no token")
		}
		return nil
	}})
	f.write(ruleNamed("new"))
	f.looks(2)
	f.wantRules("old")
	f.wantReloads(0, 0, 1)
	if !strings.Contains(f.log.String(), "there is no token") {
		t.Errorf("the log does not say why:\n%s", f.log)
	}
}

// TestLive_AskedIsReadAtOnce, while others decide.
func TestLive_AskedIsReadAtOnce(t *testing.T) {
	t.Parallel()
	f := follow(t, ruleNamed("r-0"), config.LiveConfig{Poll: time.Hour})
	asked := make(chan os.Signal)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = f.live.Run(ctx, asked) })
	running.Go(func() {
		for ctx.Err() == nil {
			if set := f.live.RuleSet(); len(set.Rules()) != 1 || set.Hash == "" {
				t.Error("half a set was seen")
				return
			}
		}
	})
	for n := range 20 {
		f.write(ruleNamed(fmt.Sprintf("r-%d", n+1)))
		asked <- syscall.SIGHUP
		asked <- syscall.SIGHUP // taken once the one before is done
	}
	stop()
	running.Wait()
	f.wantRules("r-20")
	if got := f.reloads(); got["changed"] != 20 || got["faulty"] != 0 {
		t.Errorf("reloads: got %v, want 20 changes", got)
	}
}
