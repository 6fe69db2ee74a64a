package actuator

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The codes of Linear's errors that tell something of their own.
const (
	codeRateLimited    = "RATELIMITED"
	codeAuthentication = "AUTHENTICATION_ERROR"
	codeInternal       = "INTERNAL_SERVER_ERROR"
)

// linearError is a refusal by Linear: an answer that has errors, or is none of
// GraphQL.
type linearError struct {
	status        int
	code, message string
	change        bool // of a call that changes
	wait          time.Duration
}

func (e *linearError) Error() string {
	text := fmt.Sprintf("POST /graphql: %d", e.status)
	for _, part := range [...]string{e.code, e.message} {
		if part != "" {
			text += " " + part
		}
	}
	return text
}

// isNotFound reports whether what a call names is not there. Linear has no code of
// its own for that.
func (e *linearError) isNotFound() bool {
	return strings.Contains(strings.ToLower(e.message), "entity not found")
}

// failure is what the refusal means. Of a call that changes, only a failure of
// Linear's own leaves open whether it was done: its other errors are told before
// anything is.
func (e *linearError) failure(err error) failure {
	switch {
	case e.code == codeRateLimited, e.status == http.StatusTooManyRequests:
		return limitedFor(err, e.wait)
	case e.status >= http.StatusInternalServerError, e.code == codeInternal:
		if e.change {
			return failure{verdict: unknown, err: err}
		}
		return failure{verdict: transient, err: err}
	case e.code == codeAuthentication, e.status == http.StatusUnauthorized, e.status == http.StatusRequestTimeout, e.status/100 == 3:
		return failure{verdict: transient, err: err} // a token is being rotated; it ends, or the attempts do
	}
	return failure{verdict: permanent, err: err}
}
