package actuator

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	resourceCore    = "core"
	resourceGraphQL = "graphql"
	// peek is how much of a refusal is read to tell what it means.
	peek = 16 << 10
)

// limitedTransport is the transport of one account: it starts only what the account's
// budget allows, and learns from every answer.
type limitedTransport struct {
	next   http.RoundTripper
	budget *budget
	shown  *leastRemaining
	// prefix begins the headers that tell what is left, X-Ratelimit.
	prefix string
	// shows is the resource whose remainder the metric shows; the core where it is
	// empty.
	shows string
	// pause reports whether an answer that is no success asks for a pause of all
	// calls, and for how long, zero where it does not say.
	pause func(*http.Response) (time.Duration, bool)
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
	made := callOf(request)
	if err := t.budget.admit(made); err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	t.learn(made.resource, response)
	return response, nil
}

func (t *limitedTransport) learn(resource string, response *http.Response) {
	left, err := strconv.Atoi(response.Header.Get(t.prefix + "-Remaining"))
	if err == nil {
		if resource == cmp.Or(t.shows, resourceCore) {
			t.shown.set(t.budget, left)
		}
		if reset, err := strconv.ParseInt(response.Header.Get(t.prefix+"-Reset"), 10, 64); err == nil {
			t.budget.learnPrimary(resource, primaryLimit{remaining: left, reset: resetTime(reset)})
		}
	}
	if response.StatusCode < http.StatusMultipleChoices {
		t.budget.learnSuccess()
		return
	}
	if pause, asked := t.pause(response); asked {
		t.budget.learnSecondary(pause)
	}
}

// firstMillisecond is where a time in a header counts milliseconds: as seconds it is
// in the year 5138.
const firstMillisecond = 100_000_000_000

// resetTime reads seconds since 1970, or milliseconds as Linear has them.
func resetTime(count int64) time.Time {
	if count >= firstMillisecond {
		return time.UnixMilli(count)
	}
	return time.Unix(count, 0)
}

// peekBody returns the start of an answer's body, which is left to be read again.
func peekBody(response *http.Response) []byte {
	start, _ := io.ReadAll(io.LimitReader(response.Body, peek))
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), response.Body), response.Body}
	return start
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
