package fakegithub

import (
	"net/http"
	"strconv"
	"time"
)

// allowance is the primary limit of one credential.
type allowance struct {
	limit     int
	remaining int
	reset     time.Time
}

const hourly = 5000

// Allow leaves a credential so many calls until a reset.
func (s *Server) Allow(credential string, calls int, reset time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowances[credential] = &allowance{limit: hourly, remaining: calls, reset: reset}
}

func (s *Server) allowance(credential string) *allowance {
	held := s.allowances[credential]
	if held == nil || !time.Now().Before(held.reset) {
		held = &allowance{limit: hourly, remaining: hourly, reset: time.Now().Add(time.Hour)}
		s.allowances[credential] = held
	}
	return held
}

// spend takes a call off the allowance. Beyond it, it answers as GitHub does.
func (s *Server) spend(credential string) *reply {
	held := s.allowance(credential)
	if held.remaining == 0 {
		return refused(failure(http.StatusForbidden, "API rate limit exceeded for "+credential+"."))
	}
	held.remaining--
	return nil
}

func (s *Server) limitHeaders(r *http.Request, header http.Header) {
	held := s.allowance(credentialOf(r.Context()))
	header.Set("X-Ratelimit-Limit", strconv.Itoa(held.limit))
	header.Set("X-Ratelimit-Remaining", strconv.Itoa(held.remaining))
	header.Set("X-Ratelimit-Used", strconv.Itoa(held.limit-held.remaining))
	header.Set("X-Ratelimit-Reset", strconv.FormatInt(held.reset.Unix(), 10))
	header.Set("X-Ratelimit-Resource", resourceOf(r))
}

func resourceOf(r *http.Request) string {
	if r.URL.Path == "/graphql" {
		return "graphql"
	}
	return "core"
}
