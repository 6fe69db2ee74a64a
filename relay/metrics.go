package relay

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics shows what waits, which every relay reads from the tables alike, and
// what this relay has done.
type metrics struct {
	pending     prometheus.Gauge
	oldest      prometheus.Gauge
	deadLetters prometheus.Gauge
	records     *prometheus.CounterVec
	failures    prometheus.Counter
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	m := &metrics{
		pending: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pawl_outbox_pending",
			Help: "Transitions that are committed and not published. NaN while the database cannot be asked.",
		}),
		oldest: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pawl_outbox_oldest_seconds",
			Help: "Age of the oldest of them, 0 when there is none.",
		}),
		deadLetters: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pawl_dead_letters",
			Help: "Records and mutations that were set aside and wait for a person.",
		}),
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_relay_records_total",
			Help: "Records that this relay published and settled.",
		}, []string{"topic"}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pawl_relay_failures_total",
			Help: "Batches that failed and are tried again.",
		}),
	}
	if registerer != nil {
		registerer.MustRegister(m.pending, m.oldest, m.deadLetters, m.records, m.failures)
	}
	return m
}

// measure reads the gauges now and then until ctx ends.
func (r *Relay) measure(ctx context.Context) {
	for {
		if err := r.measureOnce(ctx); err != nil && ctx.Err() == nil {
			// not known is not zero, and not what it was
			for _, gauge := range []prometheus.Gauge{r.metrics.pending, r.metrics.oldest, r.metrics.deadLetters} {
				gauge.Set(math.NaN())
			}
			r.cfg.Log.WarnContext(ctx, "outbox cannot be measured", "err", err)
		}
		if !sleep(ctx, r.cfg.MeasureInterval) {
			return
		}
	}
}

func (r *Relay) measureOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTime)
	defer cancel()
	var pending, deadLetters int64
	var oldest float64
	if err := r.pool.QueryRow(ctx, measureTables, time.Now()).Scan(&pending, &oldest, &deadLetters); err != nil {
		return fmt.Errorf("measure outbox: %w", err)
	}
	r.metrics.pending.Set(float64(pending))
	r.metrics.oldest.Set(max(oldest, 0))
	r.metrics.deadLetters.Set(float64(deadLetters))
	return nil
}
