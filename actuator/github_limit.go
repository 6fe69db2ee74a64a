package actuator

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// hostedPoints and hostedSpacing are what GitHub asks of callers of
	// github.com; the second is its advice for content-making calls.
	hostedPoints  = 900
	hostedSpacing = time.Second
)

// secondaryLimit reports whether an answer is a secondary limit: by its header, or
// else by its message. It returns how long GitHub asks to wait.
func secondaryLimit(response *http.Response) (time.Duration, bool) {
	if response.StatusCode != http.StatusForbidden && response.StatusCode != http.StatusTooManyRequests {
		return 0, false
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		return time.Duration(seconds)*time.Second + resetSlack, true
	}
	switch {
	case response.Header.Get("Retry-After") != "":
		return 0, true
	case response.Header.Get("X-Ratelimit-Remaining") == "0":
		return 0, false // the primary limit
	case response.StatusCode == http.StatusTooManyRequests:
		return 0, true
	}
	return 0, strings.Contains(strings.ToLower(string(peekBody(response))), "rate limit")
}
