package actuator

import (
	"github.com/prometheus/client_golang/prometheus"

	"pawl/schemas"
)

type metrics struct {
	mutations     *prometheus.CounterVec
	decisions     *prometheus.CounterVec
	fencedSettles prometheus.Counter
	toMutation    prometheus.Histogram
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	m := &metrics{
		mutations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_actuator_mutations_total", Help: "Attempts at mutations by how they were settled, and mutations that were set to wait, cancelled, or opened dead.",
		}, []string{"kind", "outcome"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pawl_actuator_decisions_total", Help: "Decisions of rules on transitions.",
		}, []string{"outcome"}),
		fencedSettles: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pawl_actuator_fenced_settles_total", Help: "Settles that changed nothing because another actor had claimed since.",
		}),
		toMutation: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pawl_delivery_to_mutation_seconds", Help: "From receipt of a delivery to the answer to the mutation it led to.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 18),
		}),
	}
	registerer.MustRegister(m.mutations, m.decisions, m.fencedSettles, m.toMutation)
	return m
}

// became is what a mutation became without an attempt.
type became struct{ kind, state string }

// count counts those that wait or were ended. What became pending is counted by
// its attempt.
func (m *metrics) count(all []became) {
	for _, b := range all {
		switch schemas.MutationState(b.state) {
		case schemas.MutationWaiting, schemas.MutationCancelled, schemas.MutationDead:
			m.mutations.WithLabelValues(b.kind, b.state).Inc()
		case schemas.MutationPlanned, schemas.MutationPending, schemas.MutationClaimed, schemas.MutationDone, schemas.MutationSkipped:
		}
	}
}

// rateLimitGauge returns the gauge that the clients of all instances share.
func rateLimitGauge(registerer prometheus.Registerer) (*prometheus.GaugeVec, error) {
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "pawl_provider_rate_limit_remaining", Help: "Calls that the provider still allows until its next reset.",
	}, []string{"instance"})
	err := registerer.Register(gauge)
	if already, ok := err.(prometheus.AlreadyRegisteredError); ok { //nolint:errorlint // the registry returns it bare
		if held, ok := already.ExistingCollector.(*prometheus.GaugeVec); ok {
			return held, nil
		}
	}
	return gauge, err
}
