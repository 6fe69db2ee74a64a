package actuator

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// hostedPoints and hostedSpacing are what GitHub asks of callers of
	// github.com; the second is its advice for content-making calls.
	hostedPoints  = 900
	hostedSpacing = time.Second

	resourceCore    = "core"
	resourceGraphQL = "graphql"
	// peek is how much of a refusal is read to tell a limit from a permission.
	peek = 16 << 10
)

// limitedTransport is the transport of one account: it starts only what the account's
// budget allows, and learns from every answer.
type limitedTransport struct {
	next   http.RoundTripper
	budget *budget
	shown  *leastRemaining
}

// graphCall marks a call of GraphQL, where every call is a POST.
type graphCall struct {
	change bool
	key    string
}

type graphCallKey struct{}

func withGraphCall(ctx context.Context, c graphCall) context.Context {
	return context.WithValue(ctx, graphCallKey{}, c)
}

func callOf(request *http.Request) call {
	if graph, ok := request.Context().Value(graphCallKey{}).(graphCall); ok {
		return call{change: graph.change, key: graph.key, resource: resourceGraphQL}
	}
	change := request.Method != http.MethodGet && request.Method != http.MethodHead
	return call{change: change, key: request.Method + " " + request.URL.Path, resource: resourceCore}
}

// RoundTrip implements http.RoundTripper.
func (t *limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.budget.admit(callOf(request)); err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	t.learn(callOf(request).resource, response)
	return response, nil
}

func (t *limitedTransport) learn(resource string, response *http.Response) {
	left, err := strconv.Atoi(response.Header.Get("X-Ratelimit-Remaining"))
	if err == nil {
		if resource == resourceCore {
			t.shown.set(t.budget, left)
		}
		if reset, err := strconv.ParseInt(response.Header.Get("X-Ratelimit-Reset"), 10, 64); err == nil {
			t.budget.learnPrimary(resource, primaryLimit{remaining: left, reset: time.Unix(reset, 0)})
		}
	}
	switch {
	case response.StatusCode < http.StatusMultipleChoices:
		t.budget.learnSuccess()
	case isSecondary(response):
		pause := time.Duration(0)
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
			pause = time.Duration(seconds)*time.Second + resetSlack
		}
		t.budget.learnSecondary(pause)
	}
}

// isSecondary reports whether an answer is a secondary limit: by its header, or
// else by its message. The body is left to be read again.
func isSecondary(response *http.Response) bool {
	if response.StatusCode != http.StatusForbidden && response.StatusCode != http.StatusTooManyRequests {
		return false
	}
	if response.Header.Get("Retry-After") != "" {
		return true
	}
	if response.Header.Get("X-Ratelimit-Remaining") == "0" {
		return false // the primary limit
	}
	start, _ := io.ReadAll(io.LimitReader(response.Body, peek))
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), response.Body), response.Body}
	return response.StatusCode == http.StatusTooManyRequests || strings.Contains(strings.ToLower(string(start)), "rate limit")
}

// leastRemaining shows what is left to the account that has the least left.
type leastRemaining struct {
	gauge prometheus.Gauge

	mu   sync.Mutex // mu guards what follows
	left map[*budget]int
}

func (l *leastRemaining) set(of *budget, left int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left[of] = left
	for _, other := range l.left {
		left = min(left, other)
	}
	l.gauge.Set(float64(left))
}
