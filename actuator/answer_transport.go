package actuator

import (
	"net/http"
	"time"
)

// answerTransport is the transport of one account at a provider that is not
// GitHub: it turns an answer that is no success into an answerError.
type answerTransport struct{ next http.RoundTripper }

// newAnswerClient returns the HTTP client of one account.
func newAnswerClient(next http.RoundTripper, held *budget, shown *leastRemaining) *http.Client {
	if next == nil {
		next = http.DefaultTransport
	}
	return &http.Client{
		Transport: answerTransport{&limitedTransport{
			next: noteCalls{next}, budget: held, shown: shown, prefix: "Ratelimit", pause: tooMany,
		}},
		CheckRedirect: followOrRefuse,
	}
}

// tooMany reports whether an answer is a limit. GitLab has headers for its own;
// Gitea has none, but what stands before it may answer 429.
func tooMany(response *http.Response) (time.Duration, bool) {
	return waitIn(response.Header), response.StatusCode == http.StatusTooManyRequests
}

// RoundTrip implements http.RoundTripper.
func (t answerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err // a redirect is followed, or refused, by the client
	}
	return nil, newAnswerError(response)
}

// followOrRefuse is followSafely, where what is not followed is an error.
func followOrRefuse(request *http.Request, via []*http.Request) error {
	if followSafely(request, via) == nil {
		return nil
	}
	refused := newAnswerError(request.Response)
	refused.message = "leads to another host, or would turn a change into a read: " + refused.message
	return refused
}
