package config

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator/rules"
)

// defaultPoll is how often the file is looked at.
const defaultPoll = 2 * time.Second

// LiveConfig says how a file is followed. Zero values take the defaults.
type LiveConfig struct {
	// Lookup is os.LookupEnv where nil.
	Lookup func(string) (string, bool)
	// Accept refuses a configuration that this process cannot change to.
	Accept func(*Config) error
	// Poll is how often the file is looked at; 2 s.
	Poll time.Duration
}

// Live is the rules of the moment: mode, conditions, limits and rules of a file
// that is read again when it changes, or when somebody asks. The rest of the
// file holds as it was at the start.
//
//	file ──differs──▶ still the same a poll later? ──┐
//	                                                 ├─▶ read ─▶ check whole ─▶ swap
//	asked ───────────────────────────────────────────┘             │ faulty
//	                                                               ▼
//	                                             logged and counted, the old rules stay
//
// A file that changes is read once it has stopped: an editor that writes in steps
// is not read in the middle, where an empty file would be no rules at all. The
// swap is one pointer, and who decides takes it once, so a decision is by the old
// rules or by the new ones.
type Live struct {
	config  LiveConfig
	file    string  // empty where it was not loaded from one
	started *Config // as it was read; what differs from it needs a restart
	log     *slog.Logger
	reloads *prometheus.CounterVec
	rules   atomic.Pointer[rules.Set]

	// Of the goroutine that runs.
	read    mark // of the file as it was read last
	changed mark // another that was seen since
}

// NewLive follows the file that a configuration was loaded from.
func NewLive(loaded *Config, config LiveConfig, log *slog.Logger, registerer prometheus.Registerer) *Live {
	if config.Lookup == nil {
		config.Lookup = os.LookupEnv
	}
	if config.Poll == 0 {
		config.Poll = defaultPoll
	}
	l := &Live{
		config: config, file: loaded.file, started: loaded.pristine, log: log, read: loaded.mark, changed: loaded.mark,
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_actuator_rules_reload_total",
			Help: "Times that the rules were read again: changed, unchanged, or faulty, where the old ones stay.",
		}, []string{"outcome"}),
	}
	for _, outcome := range []string{"changed", "unchanged", "faulty"} {
		l.reloads.WithLabelValues(outcome)
	}
	registerer.MustRegister(l.reloads)
	l.rules.Store(loaded.RuleSet())
	return l
}

// RuleSet returns the rules of the moment. It is safe for concurrent use.
func (l *Live) RuleSet() *rules.Set { return l.rules.Load() }

// Run follows the file until the context ends, and reads it at once when asked.
// It returns nil. Where there is no file there is nothing to follow.
func (l *Live) Run(ctx context.Context, asked <-chan os.Signal) error {
	if l.file == "" {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(l.config.Poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-asked:
			l.reload(ctx)
		case <-ticker.C:
			l.look(ctx)
		}
	}
}

// look reads the file if it differs from what was read, and no more from how it
// looked the last time.
func (l *Live) look(ctx context.Context) {
	now := markOf(l.file)
	settled := now == l.changed
	l.changed = now
	if settled && now != l.read {
		l.reload(ctx)
	}
}

func (l *Live) reload(ctx context.Context) {
	l.read = markOf(l.file) // before it is read: what comes after differs
	l.changed = l.read
	loaded, err := Load(l.file, l.config.Lookup)
	if now := markOf(l.file); now != l.read {
		l.changed = now // it is being written: the next looks see to it
		return
	}
	if err == nil && l.config.Accept != nil {
		err = l.config.Accept(loaded)
	}
	if err != nil {
		l.reloads.WithLabelValues("faulty").Inc()
		l.log.ErrorContext(ctx, "rules not reloaded, the old ones stay", "file", l.file, "hash", l.RuleSet().Hash, "err", err)
		return
	}
	if differing := l.started.restartFor(loaded); len(differing) > 0 {
		l.log.WarnContext(ctx, "settings changed that need a restart", "file", l.file, "settings", strings.Join(differing, ", "))
	}
	next, before := loaded.RuleSet(), l.RuleSet()
	if next.Hash == before.Hash && next.Mode == before.Mode {
		l.reloads.WithLabelValues("unchanged").Inc()
		return
	}
	l.rules.Store(next)
	l.reloads.WithLabelValues("changed").Inc()
	l.log.InfoContext(ctx, "rules reloaded", "file", l.file, "hash", next.Hash, "before", before.Hash,
		"mode", next.Mode, "rules", len(next.Rules()))
}

// restartFor returns the sections that differ and are not reloaded.
func (c *Config) restartFor(other *Config) []string {
	var differing []string
	mine, theirs := reflect.ValueOf(*c), reflect.ValueOf(*other.pristine)
	for i := range mine.NumField() {
		name, _, _ := strings.Cut(mine.Type().Field(i).Tag.Get("yaml"), ",")
		if name == "" || isOfRules(name) {
			continue
		}
		if !reflect.DeepEqual(mine.Field(i).Interface(), theirs.Field(i).Interface()) {
			differing = append(differing, name)
		}
	}
	return differing
}

// mark tells one content of a file from another. The zero mark is no file.
type mark struct {
	modified int64
	size     int64
}

func markOf(file string) mark {
	info, err := os.Stat(file)
	if err != nil {
		return mark{}
	}
	return mark{info.ModTime().UnixNano(), info.Size()}
}
