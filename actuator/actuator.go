package actuator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// Config says as whom to act, and how patiently. Zero values take the defaults.
type Config struct {
	// Owner names this actor in leases and claims.
	Owner string
	// Workers is how many entities are acted on at a time; 8.
	Workers int
	// Lease is how long an entity is held without a renewal; 60 s.
	Lease time.Duration
	// Margin is the end of a lease in which no call is started; 20 s.
	Margin time.Duration
	// CallTimeout bounds one call to a provider; 15 s. It must be below Margin.
	CallTimeout time.Duration
	// MaxAttempts is how often a mutation is tried before it is dead; 10.
	MaxAttempts int
	// Backoff is the first pause between attempts; it doubles up to five
	// minutes; 2 s.
	Backoff time.Duration
	// Poll is how often is looked for work that nobody woke us for; 1 s.
	Poll time.Duration
	// Trackers are the issue trackers that comments are mirrored to, by instance
	// ("linear.app").
	Trackers map[string]Tracker
	// Notifier sends notifications, and Resolve turns the references of their
	// addresses into the addresses. Without them a notification is refused.
	Notifier Notifier
	Resolve  func(reference string) (string, error)
}

func (c Config) withDefaults() Config {
	c.Owner = cmp.Or(c.Owner, "actuator")
	c.Workers = cmp.Or(c.Workers, 8)
	c.Lease = cmp.Or(c.Lease, 60*time.Second)
	c.Margin = cmp.Or(c.Margin, 20*time.Second)
	c.CallTimeout = cmp.Or(c.CallTimeout, 15*time.Second)
	c.MaxAttempts = cmp.Or(c.MaxAttempts, 10)
	c.Backoff = cmp.Or(c.Backoff, 2*time.Second)
	c.Poll = cmp.Or(c.Poll, time.Second)
	return c
}

// Validate reports every fault of the configuration.
func (c Config) Validate() error {
	c = c.withDefaults()
	var faults []error
	if c.Workers < 1 || c.MaxAttempts < 1 {
		faults = append(faults, errors.New("workers and max attempts must be positive"))
	}
	if c.Lease <= c.Margin {
		faults = append(faults, fmt.Errorf("the lease of %s must be longer than its margin of %s", c.Lease, c.Margin))
	}
	if c.Margin <= c.CallTimeout {
		faults = append(faults, fmt.Errorf("the margin of %s must be longer than a call may take, %s", c.Margin, c.CallTimeout))
	}
	return errors.Join(faults...)
}

// Appender appends a record to pawl.deliveries. It returns nil once the record
// is durable on every in-sync replica, and is safe for concurrent use.
type Appender interface {
	Append(ctx context.Context, record schemas.Record) error
}

// Actuator decides and acts. Its methods are safe for concurrent use.
type Actuator struct {
	config    Config
	store     *store
	providers map[string]Provider
	rules     func() *rules.Set
	appender  Appender
	log       *slog.Logger
	metrics   *metrics
	wake      chan struct{}           // size 1: one wake-up is as good as many
	onStep    func(step, mutation)    // inert in production; tests stop here
	backoff   func(int) time.Duration // of an attempt

	mu     sync.Mutex         // mu guards what follows
	logins map[string]string  // by instance, once learnt
	late   map[int64]struct{} // mutations to ask another look at
}

// New returns an actuator. Providers are by instance ("github.com"); ruleSet
// returns the rules of the moment and may return others later. The pool needs a
// connection for each worker, one to listen and one to decide.
func New(config Config, pool *pgxpool.Pool, providers map[string]Provider, ruleSet func() *rules.Set,
	appender Appender, log *slog.Logger, registerer prometheus.Registerer,
) (*Actuator, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("actuator: %w", err)
	}
	config = config.withDefaults()
	return &Actuator{
		config: config, store: &store{pool: pool, sql: statementsOf()}, providers: providers, rules: ruleSet,
		appender: appender, log: log, metrics: newMetrics(registerer),
		wake: make(chan struct{}, 1), onStep: func(step, mutation) {}, backoff: backoffFrom(config.Backoff),
		logins: make(map[string]string), late: make(map[int64]struct{}),
	}, nil
}

// step is a place between two effects, where a crash is told from another.
type step string

const (
	stepClaimed step = "claimed" // the row says claimed, nothing was asked yet
	stepLooked  step = "looked"  // the provider showed that it is to be done
	stepActed   step = "acted"   // the outcome is known, the row says claimed
)
