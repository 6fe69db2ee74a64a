package projector

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/schemas"
)

type metrics struct {
	records *prometheus.CounterVec
	lags    *lags
	stopped *prometheus.GaugeVec
	fenced  prometheus.Counter
	future  prometheus.Counter
	toState prometheus.Histogram
	apply   prometheus.Histogram
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	m := &metrics{
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_projector_records_total", Help: "Records by how they ended.",
		}, []string{"provider", "event", "verdict"}),
		lags: newLags(),
		stopped: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "pawl_projector_stopped_partitions", Help: "1 where a person must act: the checkpoint lies outside the log, or a record can be neither folded nor set aside.",
		}, []string{"topic", "partition"}),
		fenced: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pawl_projector_fenced_batches_total", Help: "Batches that were not written because the partition had another owner.",
		}),
		future: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pawl_projector_future_timestamps_total", Help: "Provider times more than a day ahead, taken as unknown.",
		}),
		toState: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pawl_delivery_to_state_seconds", Help: "From receipt of a delivery to the commit of its state.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 18),
		}),
		apply: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pawl_projector_apply_seconds", Help: "Time of one transaction.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}),
	}
	registerer.MustRegister(m.records, m.lags, m.stopped, m.fenced, m.future, m.toState, m.apply)
	return m
}

// applied counts committed records.
func (m *metrics) applied(records []LogRecord, results []Result, now time.Time) {
	for i, result := range results {
		record := records[i].Record
		m.records.WithLabelValues(labelOf(record.Provider), eventLabel(record, result), string(result.Verdict)).Inc()
		if result.FutureTime {
			m.future.Inc()
		}
		if !record.ReceivedAt.IsZero() {
			m.toState.Observe(now.Sub(record.ReceivedAt).Seconds())
		}
	}
}

// follow begins to show the lag of a partition.
func (m *metrics) follow(checkpoint Checkpoint, next int64) *lag {
	return m.lags.follow(checkpoint, next)
}

// forget drops the figures of a partition that another projector serves now.
func (m *metrics) forget(checkpoint Checkpoint) {
	m.lags.forget(checkpoint)
	m.stopped.DeleteLabelValues(checkpoint.Topic, strconv.Itoa(checkpoint.Partition))
}

// eventLabel keeps the label's values few: anyone may produce to the topic
// under any event name.
func eventLabel(record schemas.Record, result Result) string {
	switch result.Verdict {
	case schemas.Ignored, schemas.Dead:
		return "other"
	case schemas.Applied, schemas.Unchanged, schemas.Stale, schemas.Duplicate:
	}
	return labelOf(record.Event)
}

func labelOf(name string) string {
	if name == "" || len(name) > 40 {
		return "other"
	}
	return storable(name)
}
