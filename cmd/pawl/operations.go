package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// readiness asks each part whether it is ready.
type readiness struct {
	names  []string
	checks []func(context.Context) error
}

func (r *readiness) add(name string, check func(context.Context) error) {
	r.names = append(r.names, name)
	r.checks = append(r.checks, check)
}

// ServeHTTP answers 200, or 503 naming the parts that are not ready and why.
func (r *readiness) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	ctx, cancel := context.WithTimeout(request.Context(), 3*time.Second)
	defer cancel()
	status := http.StatusOK
	parts := make(map[string]string, len(r.names))
	for i, check := range r.checks {
		parts[r.names[i]] = "ready"
		if err := check(ctx); err != nil {
			status, parts[r.names[i]] = http.StatusServiceUnavailable, err.Error()
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"ready": status == http.StatusOK, "parts": parts})
}

// operations is the port for people and machines that watch: health, readiness
// and metrics.
func operations(ready *readiness, registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}

// server is an HTTP server on an address that is taken at once.
type server struct {
	listener net.Listener
	http     *http.Server
}

func listen(ctx context.Context, addr string, handler http.Handler, log *slog.Logger) (*server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return &server{listener: listener, http: &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}, nil
}

func (s *server) url() string { return "http://" + s.listener.Addr().String() }

// run serves until the context ends, and then finishes what is under way.
func (s *server) run(ctx context.Context) error {
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(s.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", s.listener.Addr(), err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if err := s.http.Shutdown(stopping); err != nil && !errors.Is(err, http.ErrServerClosed) {
		_ = s.http.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", s.listener.Addr(), err)
	}
	return nil
}
