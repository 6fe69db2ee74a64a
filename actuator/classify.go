package actuator

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v66/github"
)

// verdict is what a failed call means for the mutation.
type verdict string

const (
	// notStarted: the gate refused the call, nothing was sent.
	notStarted verdict = "not started"
	// transient: nothing was done, later it may be.
	transient verdict = "transient"
	// limited: refused until a time. It is no attempt: with go-github the
	// refusal may not even have left this process.
	limited verdict = "rate limited"
	// permanent: refused, and a repetition will be too.
	permanent verdict = "permanent"
	// gone: what the call requires does not hold any more. A look says what does.
	gone verdict = "precondition gone"
	// unknown: sent, and not known whether it was done. Look first.
	unknown verdict = "unknown outcome"
)

// failure is a classified error.
type failure struct {
	verdict verdict
	wait    time.Duration // of limited
	err     error
}

func (f failure) Error() string { return string(f.verdict) + ": " + f.err.Error() }

func (f failure) drained() bool { return errors.Is(f.err, errDrained) }

const (
	// secondaryPause is the pause that GitHub asks for where a limit names none.
	secondaryPause = time.Minute
	// maxPause bounds what a header may ask for: the primary limit is by the hour.
	maxPause = 2 * time.Hour
	// resetSlack covers clocks that differ and fractions that the header lacks.
	resetSlack = time.Second
)

// classify is the one place that says what an error of a provider means.
func classify(err error) failure {
	var (
		primary   *github.RateLimitError
		secondary *github.AbuseRateLimitError
		accepted  *github.AcceptedError
		twoFactor *github.TwoFactorAuthError
		answer    *github.ErrorResponse
	)
	switch {
	case errors.Is(err, errMargin), errors.Is(err, errDrained):
		return failure{verdict: notStarted, err: err}
	case errors.As(err, &primary):
		return limitedFor(err, time.Until(primary.Rate.Reset.Time)+resetSlack)
	case errors.As(err, &secondary):
		if secondary.RetryAfter == nil {
			return limitedFor(err, secondaryPause)
		}
		return limitedFor(err, *secondary.RetryAfter+resetSlack)
	case errors.As(err, &accepted): // 202: begun, not done
		return failure{verdict: unknown, err: err}
	case errors.As(err, &twoFactor):
		return failure{verdict: permanent, err: err}
	case errors.As(err, &answer):
		return classifyAnswer(answer, err)
	}
	return classifyConnection(err)
}

func limitedFor(err error, wait time.Duration) failure {
	return failure{verdict: limited, wait: min(max(wait, resetSlack), maxPause), err: err}
}

// classifyAnswer classifies an answer by its status.
func classifyAnswer(answer *github.ErrorResponse, err error) failure {
	status := answer.Response.StatusCode
	switch {
	case isLimit(answer):
		return limitedFor(err, pauseOf(answer.Response.Header))
	case status >= http.StatusInternalServerError && isRead(answer.Response.Request):
		return failure{verdict: transient, err: err}
	case status >= http.StatusInternalServerError:
		return failure{verdict: unknown, err: err}
	case status == http.StatusConflict:
		return failure{verdict: gone, err: err}
	case status == http.StatusMethodNotAllowed && isRace(answer.Message):
		return failure{verdict: transient, err: err}
	case status == http.StatusUnauthorized, status == http.StatusRequestTimeout, status/100 == 3:
		// A token is being rotated; a repository was renamed and the row will
		// know it. Both end, or the attempts do.
		return failure{verdict: transient, err: err}
	}
	return failure{verdict: permanent, err: err}
}

// isLimit reports whether an answer is a limit that go-github v66 does not see
// as one: every 429, and a 403 whose message says so.
func isLimit(answer *github.ErrorResponse) bool {
	switch answer.Response.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		return answer.Response.Header.Get("Retry-After") != "" || strings.Contains(strings.ToLower(answer.Message), "rate limit")
	}
	return false
}

// pauseOf reads the headers in the order that GitHub gives for them.
func pauseOf(header http.Header) time.Duration {
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil {
		return time.Duration(seconds)*time.Second + resetSlack
	}
	reset, err := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64)
	if err == nil && header.Get("X-Ratelimit-Remaining") == "0" {
		return time.Until(time.Unix(reset, 0)) + resetSlack
	}
	return secondaryPause
}

// isRace reports whether a 405 is the one that passes: another merge moved the
// base. Conflicts and branch rules have the same status.
func isRace(message string) bool {
	return strings.Contains(strings.ToLower(message), "base branch was modified")
}

func isRead(request *http.Request) bool { return request != nil && request.Method == http.MethodGet }

// classifyConnection classifies what went wrong below HTTP. Only a connection
// that was never made proves that nothing was sent.
func classifyConnection(err error) failure {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return failure{verdict: transient, err: err}
	}
	return failure{verdict: unknown, err: err}
}
