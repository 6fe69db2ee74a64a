package actuator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// LinearConfig says how to reach Linear, and as whom.
type LinearConfig struct {
	// Instance is the host in entity keys: "linear.app".
	Instance string
	// BaseURL of the API; empty is https://api.linear.app/.
	BaseURL string
	// Token is a personal API key, or the token of an OAuth app.
	Token string
	// Transport is http.DefaultTransport where nil.
	Transport http.RoundTripper
}

// Linear is the Tracker for Linear. Its API is GraphQL alone, and its errors come
// with status 200 as well as with 400.
type Linear struct {
	instance      string
	endpoint      string
	authorization string
	http          *http.Client
}

const linearAPI = "https://api.linear.app/"

// NewLinear returns a client. It calls nobody yet.
func NewLinear(config LinearConfig, registerer prometheus.Registerer) (*Linear, error) {
	config.Instance = cmp.Or(config.Instance, "linear.app")
	base, err := url.Parse(cmp.Or(config.BaseURL, linearAPI))
	if err != nil {
		return nil, fmt.Errorf("linear %s: base_url: %w", config.Instance, err)
	}
	gauge, err := rateLimitGauge(registerer)
	if err != nil {
		return nil, fmt.Errorf("linear %s: %w", config.Instance, err)
	}
	next := config.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	return &Linear{
		instance: config.Instance, endpoint: strings.TrimSuffix(strings.TrimRight(base.String(), "/"), "/graphql") + "/graphql",
		authorization: authorizationOf(config.Token),
		http: &http.Client{
			Transport: &limitedTransport{
				next: noteCalls{next}, budget: newBudget(limits{}), prefix: "X-Ratelimit-Requests", shows: resourceGraphQL,
				shown: &leastRemaining{gauge: gauge.WithLabelValues(config.Instance), left: make(map[*budget]int)},
				pause: linearPause,
			},
			CheckRedirect: followOrRefuse,
		},
	}, nil
}

// authorizationOf is the header of a token: personal keys (lin_api_…) stand alone,
// OAuth tokens behind Bearer (linear.app/developers/graphql, "Authentication").
func authorizationOf(token string) string {
	if strings.HasPrefix(token, "lin_api_") || token == "" {
		return token
	}
	return "Bearer " + token
}

// linearPause: Linear tells by its headers when calls are there again, and answers
// 400 with the code RATELIMITED to what comes before. What stands before it may
// answer 429.
func linearPause(response *http.Response) (time.Duration, bool) {
	if response.StatusCode == http.StatusTooManyRequests {
		return waitIn(response.Header), true
	}
	return 0, strings.Contains(string(peekBody(response)), codeRateLimited) &&
		response.Header.Get("X-Ratelimit-Requests-Reset") == ""
}

// maxLinearAnswer bounds what is read of an answer: a comment has its text in it.
const maxLinearAnswer = 4 << 20

// call makes one call of GraphQL. The error is a *linearError where Linear answered.
func (l *Linear) call(ctx context.Context, made graphCall, text string, variables map[string]any, into any) error {
	body, err := json.Marshal(map[string]any{"query": text, "variables": variables})
	if err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err) // unreachable: maps of texts
	}
	request, err := http.NewRequestWithContext(withGraphCall(ctx, made), http.MethodPost, l.endpoint, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	request.Header.Set("Authorization", l.authorization)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	response, err := l.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(io.LimitReader(response.Body, maxLinearAnswer))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", l.instance, err)
	}
	return answered(response, read, made.change, into)
}

// answered reads an answer. Only one with status 200, data and no errors is a
// success: an answer with both is the error.
func answered(response *http.Response, body []byte, change bool, into any) error {
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code    string `json:"code"`
				Message string `json:"userPresentableMessage"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	failed := &linearError{status: response.StatusCode, change: change, wait: linearWait(response.Header)}
	unread := json.Unmarshal(body, &answer)
	switch {
	case unread == nil && len(answer.Errors) > 0:
		first := answer.Errors[0]
		failed.code, failed.message = first.Extensions.Code, shortened(cmp.Or(first.Message, first.Extensions.Message))
		return failed
	case response.StatusCode != http.StatusOK:
		failed.message = plainMessage(body)
		return failed
	case unread != nil:
		return fmt.Errorf("the answer is no JSON: %w", unread)
	case into == nil:
		return nil
	}
	return json.Unmarshal(answer.Data, into)
}

func linearWait(header http.Header) time.Duration {
	if wait := waitIn(header); wait > 0 {
		return wait
	}
	reset, err := strconv.ParseInt(header.Get("X-Ratelimit-Requests-Reset"), 10, 64)
	if err != nil {
		return secondaryPause
	}
	return max(time.Until(resetTime(reset))+resetSlack, resetSlack)
}
