package ingest

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Values of labels that stand for many.
const (
	labelOther      = "other"      // an event the provider is not known to send
	labelUnverified = "unverified" // what was not verified names no event
	labelUnknown    = "unknown"    // a path that is no source
	outcomeAppended = "appended"
	outcomeUnknown  = "unknown_event" // appended too, and the provider is not known to send it
)

// Metrics counts what comes to the edge. Its labels are bounded: sources and
// secrets by the configuration, events by the provider's list. What is not
// verified makes no label.
type Metrics struct {
	deliveries *prometheus.CounterVec
	seconds    prometheus.Histogram
	bytes      prometheus.Histogram
	secretUses *prometheus.CounterVec
	secretLast *prometheus.GaugeVec
	outside    *prometheus.CounterVec
}

// NewMetrics makes the metrics and registers them. A nil registerer registers
// them nowhere.
func NewMetrics(registerer prometheus.Registerer) *Metrics {
	m := &Metrics{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_ingest_deliveries_total",
			Help: "Deliveries by what became of them; those that are appended or an unknown_event are durable in the log.",
		}, []string{"source", "event", "outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "pawl_ingest_append_seconds",
			Help:    "Time until every in-sync replica had the record.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15),
		}),
		bytes: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "pawl_ingest_body_bytes",
			Help:    "Size of the bodies of appended deliveries.",
			Buckets: prometheus.ExponentialBuckets(1<<10, 4, 8),
		}),
		secretUses: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_ingest_secret_uses_total",
			Help: "Deliveries verified with each secret of a source. A secret that stands still may be removed.",
		}, []string{"source", "secret"}),
		secretLast: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "pawl_ingest_secret_last_used_seconds",
			Help: "When each secret of a source last verified a delivery, in seconds since 1970; 0 is never.",
		}, []string{"source", "secret"}),
		outside: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_ingest_outside_window_total",
			Help: "Verified deliveries that say they were sent more than a minute from now: retries with their first stamp, or replays. They are taken; the delivery's id tells a replay.",
		}, []string{"source"}),
	}
	if registerer != nil {
		registerer.MustRegister(m.deliveries, m.seconds, m.bytes, m.secretUses, m.secretLast, m.outside)
	}
	return m
}

// announceSecret shows a secret that has not been used yet.
func (m *Metrics) announceSecret(source, secret string) {
	m.secretUses.WithLabelValues(source, secret).Add(0)
	m.secretLast.WithLabelValues(source, secret).Set(0)
}

func (m *Metrics) usedSecret(source, secret string) {
	m.secretUses.WithLabelValues(source, secret).Inc()
	m.secretLast.WithLabelValues(source, secret).SetToCurrentTime()
}

func (m *Metrics) outsideWindow(source string) { m.outside.WithLabelValues(source).Inc() }

func (m *Metrics) appended(elapsed time.Duration) { m.seconds.Observe(elapsed.Seconds()) }

func (m *Metrics) taken(source, event string, size int) {
	outcome := outcomeAppended
	if event == labelOther {
		outcome = outcomeUnknown
	}
	m.deliveries.WithLabelValues(source, event, outcome).Inc()
	m.bytes.Observe(float64(size))
}

func (m *Metrics) refused(source, event, outcome string) {
	if event == "" {
		event = labelUnverified
	}
	m.deliveries.WithLabelValues(source, event, outcome).Inc()
}
