package actuator

import (
	"errors"
	"fmt"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	routermetrics "github.com/ThreeDotsLabs/watermill/components/metrics"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
	"github.com/prometheus/client_golang/prometheus"
)

// RouterConfig says where transitions come from.
type RouterConfig struct {
	// Topic is pawl.transitions under the installation's prefix.
	Topic      string
	Subscriber message.Subscriber
	// Poison takes what cannot be read; nil is the table pawl.dead_letter.
	Poison message.Publisher
	// PoisonTopic is the topic named to Poison.
	PoisonTopic string
	Registerer  prometheus.Registerer
}

const (
	routerRetries   = 5
	firstRetryPause = 100 * time.Millisecond
	maxRetryPause   = 5 * time.Second
	closeTimeout    = 20 * time.Second
)

// Router returns the watermill router that hands transitions to Handle:
//
//	metrics ▸ correlation ▸ poison queue ▸ retry ▸ recoverer ▸ Handle
//
// The poison queue stands outside the retry, or each try would be set aside. It
// takes only what no retry can mend: a transition that cannot be read, and one
// that makes the program panic. While the database is away nothing is set
// aside; the message is refused, and comes again.
func (a *Actuator) Router(config RouterConfig) (*message.Router, error) {
	logger := watermill.NewSlogLogger(a.log)
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: closeTimeout}, logger)
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	if config.Poison == nil {
		config.Poison = deadLetters{store: a.store}
	}
	if config.PoisonTopic == "" {
		config.PoisonTopic = "pawl.dead_letter"
	}
	poison, err := middleware.PoisonQueueWithFilter(config.Poison, config.PoisonTopic, isPoison)
	if err != nil {
		return nil, fmt.Errorf("router: %w", err)
	}
	retry := middleware.Retry{
		MaxRetries: routerRetries, InitialInterval: firstRetryPause, MaxInterval: maxRetryPause, Multiplier: 2,
		RandomizationFactor: 0.5, ShouldRetry: func(p middleware.RetryParams) bool { return !errors.Is(p.Err, ErrUnreadable) },
		Logger: logger,
	}
	if config.Registerer != nil {
		routermetrics.NewPrometheusMetricsBuilder(config.Registerer, "pawl", "actuator_router").AddPrometheusRouterMetrics(router)
	}
	router.AddMiddleware(middleware.CorrelationID, poison, retry.Middleware, middleware.Recoverer)
	router.AddConsumerHandler("decide", config.Topic, config.Subscriber, a.Handle)
	return router, nil
}

// isPoison reports whether a message will fail for ever.
func isPoison(err error) bool {
	var panicked middleware.RecoveredPanicError
	return errors.Is(err, ErrUnreadable) || errors.As(err, &panicked)
}
