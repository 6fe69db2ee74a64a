package actuator

import (
	"net/http"
	"strconv"
	"time"
)

// answerTransport is the transport of one account at a provider that is not
// GitHub: it starts only what the account's budget allows, learns from every
// answer, and turns an answer that is no success into an answerError.
type answerTransport struct {
	next   http.RoundTripper
	budget *budget
	shown  *leastRemaining
}

// newAnswerClient returns the HTTP client of one account.
func newAnswerClient(next http.RoundTripper, held *budget, shown *leastRemaining) *http.Client {
	if next == nil {
		next = http.DefaultTransport
	}
	return &http.Client{
		Transport:     &answerTransport{next: noteCalls{next}, budget: held, shown: shown},
		CheckRedirect: followOrRefuse,
	}
}

// RoundTrip implements http.RoundTripper.
func (t *answerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
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
	t.learn(response)
	if response.StatusCode < http.StatusBadRequest {
		return response, nil // a redirect is followed, or refused, by the client
	}
	return nil, newAnswerError(response)
}

// learn reads the headers of GitLab's limits. Gitea has none of its own; what
// stands before it may answer 429.
func (t *answerTransport) learn(response *http.Response) {
	header := response.Header
	if left, err := strconv.Atoi(header.Get("Ratelimit-Remaining")); err == nil {
		t.shown.set(t.budget, left)
		if reset, err := strconv.ParseInt(header.Get("Ratelimit-Reset"), 10, 64); err == nil {
			t.budget.learnPrimary(resourceCore, primaryLimit{remaining: left, reset: time.Unix(reset, 0)})
		}
	}
	switch {
	case response.StatusCode == http.StatusTooManyRequests:
		t.budget.learnSecondary(waitIn(header))
	case response.StatusCode < http.StatusMultipleChoices:
		t.budget.learnSuccess()
	}
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
