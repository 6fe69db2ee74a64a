package actuator

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
)

// evidence is what an attempt saw, sent and was answered: the answer to "why did
// it", stored with the mutation. It holds no header, no query and no body; of an
// answer the status, and of a refusal the provider's message.
type evidence struct {
	mu           sync.Mutex // mu guards what follows
	seen         string
	sent, answer string
}

type evidenceKey struct{}

// withEvidence returns a context whose calls are noted.
func withEvidence(ctx context.Context) (context.Context, *evidence) {
	e := new(evidence)
	return context.WithValue(ctx, evidenceKey{}, e), e
}

// noteLook notes what a look found in the evidence of its context.
func noteLook(ctx context.Context, found sight) {
	e, ok := ctx.Value(evidenceKey{}).(*evidence)
	if !ok {
		return // unreachable unless something acts without act
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = cmp.Or(found.reason, "to be done")
}

func (e *evidence) call(method, path, answer string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent, e.answer = method+" "+path, answer
}

// on adds the evidence to an outcome.
func (e *evidence) on(o outcome) outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	o.seen, o.sent, o.answer = e.seen, e.sent, e.answer
	return o
}

// noteCalls notes the calls that change, method, path and how they were
// answered, in the evidence of their context.
type noteCalls struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (n noteCalls) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := n.next.RoundTrip(request)
	e, ok := request.Context().Value(evidenceKey{}).(*evidence)
	if !ok || !callOf(request).change {
		return response, err
	}
	answer := "no answer"
	if err == nil {
		answer = fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode))
		if message := refusalIn(response); message != "" {
			answer += ": " + message
		}
	}
	e.call(request.Method, request.URL.Path, answer)
	return response, err
}

// refusalIn returns what a refusal says, in short. The body is left to be read
// again.
func refusalIn(response *http.Response) string {
	if response.StatusCode < http.StatusBadRequest {
		return ""
	}
	return messageOf(peekBody(response))
}
