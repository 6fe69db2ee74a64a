// Package ingest is the edge: it takes deliveries over HTTP and makes each
// durable in the log before it acknowledges it (I1).
//
//	POST /webhooks/{source}, or /webhooks/{source}/{token}
//	   │
//	receive   size, media type, one read of the body          404 405 413 415
//	   │
//	verify    the signature over the raw bytes                401
//	   │
//	seal      key, id and headers of the record               400 403
//	   │
//	append    every in-sync replica has it                    503
//	   │
//	   ▼
//	2xx with the record's place in the log
//
// The promise: a 2xx means that the record is durable, and whatever is not a
// 2xx means that the provider has to send the delivery again. The edge keeps
// nothing: no file, no table, no memory of ids. A delivery that is sent twice is
// in the log twice, and the fold tells (I4). What it refuses it only counts; see
// refusals.
//
// The failure: when the log is away, a request waits for it, bounded, and is
// then answered 503, because providers give up after 10 s and never say so.
// GitHub does not retry by itself; what it was told had failed is found in its
// list of deliveries.
//
// Which provider a delivery is of follows from the URL alone. Other providers
// send GitHub's headers too, and a header proves nothing; it only tells which
// provider was meant, when a delivery comes to the wrong source.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"pawl/internal/provider"
	"pawl/schemas"
)

// Secret is one secret of a source. Its name tells in the metrics which secret
// is still in use; it is never derived from the value.
type Secret struct {
	Name  string
	Value []byte
}

// Source is one configured webhook.
type Source struct {
	// Name is the last part of the URL, and the record's source.
	Name string
	// Provider is the provider's name: github.
	Provider string
	// Instance is the provider's host. Empty is the provider's default.
	Instance string
	// Secrets are all good at the same time. More than one makes a rotation possible
	// without a gap.
	Secrets []Secret
	// Pages are the ids of the status pages that are taken. Empty takes every page.
	Pages []string
}

// Config is what an Edge needs to know. Zero values are the defaults.
type Config struct {
	Sources []Source
	// MaxBody is the largest body in bytes. Default schemas.MaxBody.
	MaxBody int64
	// Timeout bounds a request from its first header to its answer. Default 8
	// s: GitHub cuts the connection at 10 s. It is less for a provider that waits
	// shorter (provider.AnswerWithin).
	Timeout time.Duration
	// MaxLarge is how many bodies of more than 1 MB are read at the same time.
	// Default 8.
	MaxLarge int
}

// Edge is the HTTP handler of POST /webhooks/{source}. New makes one.
type Edge struct {
	sources  map[string]*source
	appender Appender
	metrics  *Metrics
	log      *slog.Logger
	maxBody  int64
	timeout  time.Duration
	large    chan struct{} // one token a large body that is being read
	buffers  sync.Pool     // of *[]byte, pooledBody each
	refusals *refusals

	mu       sync.Mutex // mu guards draining and inFlight
	draining bool
	inFlight int
	idle     chan struct{} // closed when draining and nothing is in flight
}

// source is a Source made ready.
type source struct {
	name     string
	instance string
	provider provider.Provider
	secrets  []Secret
	values   [][]byte // of the secrets, in their order
	pages    []string
	events   map[string]bool // those that may be labels of metrics
}

// New returns the edge for the sources of a configuration. The error names all
// faults of the configuration at once. Metrics and logger may be nil.
func New(cfg Config, appender Appender, metrics *Metrics, log *slog.Logger) (*Edge, error) {
	if metrics == nil {
		metrics = NewMetrics(nil)
	}
	edge := &Edge{
		sources:  make(map[string]*source, len(cfg.Sources)),
		appender: appender,
		metrics:  metrics,
		log:      log,
		maxBody:  cmp.Or(cfg.MaxBody, schemas.MaxBody),
		timeout:  cmp.Or(cfg.Timeout, 8*time.Second),
		large:    make(chan struct{}, cmp.Or(cfg.MaxLarge, 8)),
		idle:     make(chan struct{}),
	}
	edge.buffers.New = func() any { body := make([]byte, pooledBody); return &body }
	if log == nil {
		edge.log = slog.New(slog.DiscardHandler)
	}
	edge.refusals = newRefusals(appender, edge.log)
	var faults []error
	for i, configured := range cfg.Sources {
		if err := edge.add(configured); err != nil {
			faults = append(faults, fmt.Errorf("source %d (%s): %w", i+1, configured.Name, err))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return edge, nil
}

func (e *Edge) add(configured Source) error {
	of, known := provider.ByName(configured.Provider)
	faults := checkSource(configured, known)
	if _, twice := e.sources[configured.Name]; twice {
		faults = append(faults, errors.New("the name is taken by another source"))
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	ready := &source{
		name:     configured.Name,
		instance: cmp.Or(configured.Instance, of.DefaultInstance()),
		provider: of,
		pages:    configured.Pages,
		events:   make(map[string]bool),
	}
	for i, secret := range configured.Secrets {
		secret.Name = cmp.Or(secret.Name, strconv.Itoa(i+1))
		ready.secrets = append(ready.secrets, secret)
		ready.values = append(ready.values, secret.Value)
		e.metrics.announceSecret(ready.name, secret.Name)
	}
	for _, event := range of.Events() {
		ready.events[event] = true
	}
	e.sources[ready.name] = ready
	return nil
}

func checkSource(configured Source, known bool) []error {
	var faults []error
	if !isName(configured.Name) {
		faults = append(faults, errors.New("the name must be of the letters a-z, digits, - and _, since it is a part of a URL"))
	}
	if !known {
		faults = append(faults, fmt.Errorf("provider %q is not known, there are: %s",
			configured.Provider, strings.Join(provider.Names(), ", ")))
	}
	if strings.ContainsAny(configured.Instance, "/#@ ") {
		faults = append(faults, fmt.Errorf("instance %q must be a host alone, such as github.com", configured.Instance))
	}
	if len(configured.Secrets) == 0 {
		faults = append(faults, errors.New("it has no secret, and without one anybody could send"))
	}
	for i, secret := range configured.Secrets {
		if len(secret.Value) == 0 {
			faults = append(faults, fmt.Errorf("secret %d is empty", i+1))
		}
	}
	return faults
}

func isName(text string) bool {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`).MatchString(text)
}

// Ready returns nil if deliveries are likely to be taken now.
func (e *Edge) Ready(ctx context.Context) error {
	e.mu.Lock()
	draining := e.draining
	e.mu.Unlock()
	if draining {
		return errors.New("draining")
	}
	return e.appender.Ready(ctx)
}

// Drain refuses new deliveries with 503 and waits until those in flight are
// answered, or ctx ends; then what was refused before is noted in the log. It
// leaves the appender open.
func (e *Edge) Drain(ctx context.Context) error {
	e.mu.Lock()
	if !e.draining {
		e.draining = true
		if e.inFlight == 0 {
			close(e.idle)
		}
	}
	e.mu.Unlock()
	select {
	case <-e.idle:
		e.refusals.drain(ctx)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("drain the edge: %w", context.Cause(ctx))
	}
}

// enter counts a request in, unless the edge drains.
func (e *Edge) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining {
		return false
	}
	e.inFlight++
	return true
}

func (e *Edge) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inFlight--
	if e.draining && e.inFlight == 0 {
		close(e.idle)
	}
}

// pathPrefix stands before a source's name in the URL.
const pathPrefix = "/webhooks/"

// sourceOf finds a request's source by its path alone, and the token behind it.
// Only the sources of some providers have one.
func (e *Edge) sourceOf(r *http.Request) (found *source, token string, ok bool) {
	rest, ok := strings.CutPrefix(r.URL.Path, pathPrefix)
	if !ok {
		return nil, "", false
	}
	name, token, hasToken := strings.Cut(rest, "/")
	found, ok = e.sources[name]
	if !ok || hasToken && (token == "" || !provider.TakesToken(found.provider)) {
		return nil, "", false
	}
	return found, token, true
}
