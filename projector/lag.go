package projector

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// lags shows how far the partitions are behind. The figures are made when they
// are asked for: lag matters most while nothing is committed, and a gauge that
// commits set would stand still just then.
type lags struct {
	records *prometheus.Desc
	seconds *prometheus.Desc

	mu         sync.Mutex // mu guards what follows
	partitions map[partitionOf]*lag
}

// partitionOf names a partition.
type partitionOf struct {
	topic     string
	partition int
}

// lag is what is known of one partition.
type lag struct {
	mu    sync.Mutex // mu guards what follows
	next  int64
	end   int64
	since time.Time // receive time of the oldest record that waits, as far as it is known
}

func newLags() *lags {
	labels := []string{"topic", "partition"}
	return &lags{
		records:    prometheus.NewDesc("pawl_projector_lag_records", "End of the partition less the checkpoint.", labels, nil),
		seconds:    prometheus.NewDesc("pawl_projector_lag_seconds", "Age of the oldest record that is not folded, 0 if none waits.", labels, nil),
		partitions: make(map[partitionOf]*lag),
	}
}

func (l *lags) follow(checkpoint Checkpoint, next int64) *lag {
	l.mu.Lock()
	defer l.mu.Unlock()
	made := &lag{next: next, end: next}
	l.partitions[partitionOf{checkpoint.Topic, checkpoint.Partition}] = made
	return made
}

func (l *lags) forget(checkpoint Checkpoint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.partitions, partitionOf{checkpoint.Topic, checkpoint.Partition})
}

// Describe is prometheus.Collector's.
func (l *lags) Describe(out chan<- *prometheus.Desc) {
	out <- l.records
	out <- l.seconds
}

// Collect is prometheus.Collector's.
func (l *lags) Collect(out chan<- prometheus.Metric) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for of, lag := range l.partitions {
		records, seconds := lag.measure(now)
		partition := strconv.Itoa(of.partition)
		out <- prometheus.MustNewConstMetric(l.records, prometheus.GaugeValue, records, of.topic, partition)
		out <- prometheus.MustNewConstMetric(l.seconds, prometheus.GaugeValue, seconds, of.topic, partition)
	}
}

func (l *lag) measure(now time.Time) (records, seconds float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.since.IsZero() {
		seconds = max(now.Sub(l.since).Seconds(), 0)
	}
	return float64(max(l.end-l.next, 0)), seconds
}

// fetched notes the log's end, and since when a record waits.
func (l *lag) fetched(batch Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = batch.LogEnd
	if l.since.IsZero() && len(batch.Records) > 0 {
		l.since = batch.Records[0].Record.ReceivedAt
	}
}

// applied notes a commit. What waits behind it is no older than its newest.
func (l *lag) applied(batch Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = batch.Next
	newest := lastReceived(batch)
	if l.next >= l.end || newest == nil {
		l.since = time.Time{}
		return
	}
	l.since = *newest
}
