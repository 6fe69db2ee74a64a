package simulate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator"
	"pawl/actuator/rules"
	"pawl/internal/pgtest"
	"pawl/internal/provider"
	"pawl/internal/simulate"
	"pawl/projector"
	"pawl/schemas"
)

const topic = "pawl.deliveries"

// world is a database that the real projector and the real actuator write to.
type world struct {
	t       *testing.T
	pool    *pgxpool.Pool
	applier *projector.Applier
	live    *actuator.Actuator
	next    int64
}

// noLog is where an actuator that acts would append to.
type noLog struct{}

func (noLog) Append(context.Context, schemas.Record) error { return nil }

// newWorld returns a world that decides by rules, or that only folds where the
// text is empty.
func newWorld(t *testing.T, liveRules string) *world {
	t.Helper()
	w := &world{t: t, pool: pgtest.NewPool(t)}
	checkpoint, _, err := projector.Claim(t.Context(), w.pool, topic, 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	w.applier = projector.NewApplier(w.pool, checkpoint, nil)
	if liveRules == "" {
		return w
	}
	set := parse(t, liveRules)
	w.live, err = actuator.New(actuator.Config{}, w.pool, nil, func() *rules.Set { return set }, noLog{},
		slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func parse(t *testing.T, text string) *rules.Set {
	t.Helper()
	set, err := rules.Parse("pawl.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// body returns a minimal pull_request payload, number minutes old.
func body(action string, number, minute int, fields string) string {
	updated := time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC).Format(time.RFC3339)
	return fmt.Sprintf(`{"action":%q,"number":%d,"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":%d,"state":"open","head":{"sha":"aaaa"},"updated_at":%q%s}}`,
		action, number, number, updated, fields)
}

// deliver folds deliveries of one pull request, all in one batch, and decides on
// what came of them.
func (w *world) deliver(number int, bodies ...string) {
	w.t.Helper()
	var records []projector.LogRecord
	from := w.next
	for _, text := range bodies {
		record := schemas.Record{
			Key: schemas.PullRequestKey("github.com", "101", int64(number)), ID: schemas.DeliveryID(fmt.Sprintf("d-%d", w.next)), Source: "github",
			Provider: "github", Event: "pull_request", ContentType: "application/json",
			ReceivedAt:      time.Date(2026, 1, 1, 0, int(w.next), 1, 0, time.UTC),
			ProviderHeaders: []schemas.Header{{Name: "X-GitHub-Event", Value: "pull_request"}}, Body: []byte(text),
		}
		event, err := provider.Decode(record)
		if err != nil {
			w.t.Fatal(err)
		}
		records = append(records, projector.LogRecord{
			Offset: w.next, Headers: record.Headers(),
			Decoded: projector.Decoded{Record: record, Hash: projector.HashBody(record.Body), Event: event},
		})
		w.next++
	}
	if _, err := w.applier.Apply(w.t.Context(), projector.Batch{Records: records, From: from, Next: w.next, LogEnd: w.next}); err != nil {
		w.t.Fatal(err)
	}
	w.decide()
}

// decide hands the transitions of the outbox to the actuator.
func (w *world) decide() {
	w.t.Helper()
	rows, err := w.pool.Query(w.t.Context(), `select t.value from pawl.outbox o join pawl.transition t on t.id = o.transition_id order by o.id`)
	if err != nil {
		w.t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
	if err != nil {
		w.t.Fatal(err)
	}
	w.exec(`delete from pawl.outbox`)
	if w.live == nil {
		return
	}
	for _, value := range values {
		var transition schemas.Transition
		if err := json.Unmarshal(value, &transition); err != nil {
			w.t.Fatal(err)
		}
		if err := w.live.Decide(w.t.Context(), transition, value); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) simulate(options simulate.Options) *simulate.Report {
	w.t.Helper()
	report, err := simulate.Run(w.t.Context(), w.pool, options)
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

// told writes the lines in short: sign, rule, kind, the states of both sides, why.
func told(report *simulate.Report) []string {
	lines := []string{}
	for _, line := range report.Mutations {
		states := []string{"", ""}
		for i, side := range []*simulate.Side{line.New, line.Old} {
			if side != nil {
				states[i] = side.State
			}
		}
		text := fmt.Sprintf("%s %s %s %s/%s %s", line.Sign, line.Rule, line.Kind, states[0], states[1], line.Why)
		lines = append(lines, strings.TrimSpace(text))
	}
	return lines
}
