package projector

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pawl/schemas"
)

type metrics struct {
	records    *prometheus.CounterVec
	lagRecords *prometheus.GaugeVec
	lagSeconds *prometheus.GaugeVec
	stopped    *prometheus.GaugeVec
	fenced     prometheus.Counter
	future     prometheus.Counter
	toState    prometheus.Histogram
	apply      prometheus.Histogram
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	m := &metrics{
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_projector_records_total", Help: "Records by how they ended.",
		}, []string{"provider", "event", "verdict"}),
		lagRecords: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "pawl_projector_lag_records", Help: "End of the partition less the checkpoint.",
		}, []string{"topic", "partition"}),
		lagSeconds: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "pawl_projector_lag_seconds", Help: "Age of the newest folded record while there is lag, else 0.",
		}, []string{"topic", "partition"}),
		stopped: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "pawl_projector_stopped_partitions", Help: "1 where the checkpoint lies outside the log and a person must act.",
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
	registerer.MustRegister(m.records, m.lagRecords, m.lagSeconds, m.stopped, m.fenced, m.future, m.toState, m.apply)
	return m
}

// applied counts a committed batch.
func (m *metrics) applied(checkpoint Checkpoint, batch Batch, results []Result, now time.Time) {
	for i, result := range results {
		record := batch.Records[i].Record
		m.records.WithLabelValues(labelOf(record.Provider), eventLabel(record, result), string(result.Verdict)).Inc()
		if result.FutureTime {
			m.future.Inc()
		}
		if !record.ReceivedAt.IsZero() {
			m.toState.Observe(now.Sub(record.ReceivedAt).Seconds())
		}
	}
	m.lag(checkpoint, batch, now)
}

func (m *metrics) lag(checkpoint Checkpoint, batch Batch, now time.Time) {
	partition := strconv.Itoa(checkpoint.Partition)
	behind := max(batch.LogEnd-batch.Next, 0)
	m.lagRecords.WithLabelValues(checkpoint.Topic, partition).Set(float64(behind))
	seconds := 0.0
	if newest := lastReceived(batch); behind > 0 && newest != nil {
		seconds = now.Sub(*newest).Seconds()
	}
	m.lagSeconds.WithLabelValues(checkpoint.Topic, partition).Set(seconds)
}

// forget drops the figures of a partition that another projector serves now.
func (m *metrics) forget(checkpoint Checkpoint) {
	partition := strconv.Itoa(checkpoint.Partition)
	m.lagRecords.DeleteLabelValues(checkpoint.Topic, partition)
	m.lagSeconds.DeleteLabelValues(checkpoint.Topic, partition)
	m.stopped.DeleteLabelValues(checkpoint.Topic, partition)
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
