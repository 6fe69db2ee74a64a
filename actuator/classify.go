package actuator

import (
	"errors"
	"fmt"
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

// Marks of errors.
var (
	// errNotSent: what failed came before the call, so the call was not made.
	errNotSent = errors.New("the call was not made")
	// errPartly: of several calls some were made, and the rest was refused.
	errPartly = errors.New("some of it was done")
)

// classify is the one place that says what an error of a provider means.
func classify(err error) failure {
	f := classifyCause(err)
	switch {
	case f.verdict == unknown && errors.Is(err, errNotSent):
		f.verdict = transient
	case (f.verdict == limited || f.verdict == notStarted) && errors.Is(err, errPartly):
		f.verdict = transient // it counts as an attempt: something was sent
	}
	return f
}

func classifyCause(err error) failure {
	var (
		primary   *github.RateLimitError
		secondary *github.AbuseRateLimitError
		accepted  *github.AcceptedError
		twoFactor *github.TwoFactorAuthError
		answer    *github.ErrorResponse
		graph     *graphError
		unspent   *limitError
		lacking   *lackError
		install   *installationError
		tracker   *linearError
	)
	if f, ok := notifyFailure(err); ok {
		return f
	}
	if f, ok := answerFailure(err); ok {
		return f
	}
	switch {
	case errors.Is(err, errMargin), errors.Is(err, errDrained):
		return failure{verdict: notStarted, err: err}
	case errors.As(err, &unspent):
		return failure{verdict: limited, wait: min(max(time.Until(unspent.until), 0), maxPause), err: err}
	case errors.As(err, &lacking), errors.As(err, &install):
		return failure{verdict: permanent, err: err}
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
	case errors.As(err, &tracker):
		return tracker.failure(err)
	case errors.As(err, &graph):
		return failure{verdict: graph.verdict(), wait: secondaryPause, err: err}
	case errors.As(err, &answer):
		return classifyAnswer(answer, err)
	}
	return classifyConnection(err)
}

func limitedFor(err error, wait time.Duration) failure {
	return failure{verdict: limited, wait: min(max(wait, resetSlack), maxPause), err: err}
}

// classifyAnswer classifies an answer by its status, and where one status means
// several things by its message.
func classifyAnswer(answer *github.ErrorResponse, err error) failure {
	status := answer.Response.StatusCode
	switch {
	case isLimit(answer):
		return limitedFor(err, pauseOf(answer.Response.Header))
	case status >= http.StatusInternalServerError && isRead(answer.Response.Request):
		return failure{verdict: transient, err: err}
	case status >= http.StatusInternalServerError:
		return failure{verdict: unknown, err: err}
	case status == http.StatusConflict, status == http.StatusUnprocessableEntity && says(answer, movedMessages):
		return failure{verdict: gone, err: err}
	case status == http.StatusMethodNotAllowed && says(answer, raceMessages):
		return failure{verdict: transient, err: err}
	case status == http.StatusUnauthorized, status == http.StatusRequestTimeout, status/100 == 3:
		// A token is being rotated; a repository was renamed and the row will
		// know it. Both end, or the attempts do.
		return failure{verdict: transient, err: err}
	case status == http.StatusForbidden:
		return failure{verdict: permanent, err: naming(answer, err)}
	}
	return failure{verdict: permanent, err: err}
}

// naming adds the permission that a 403 is about: GitHub names it in a header,
// alternatives are separated by semicolons.
func naming(answer *github.ErrorResponse, err error) error {
	wanted := answer.Response.Header.Get("X-Accepted-Github-Permissions")
	if wanted == "" {
		return err
	}
	return fmt.Errorf("permission missing, one of: %s: %w", wanted, err)
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
