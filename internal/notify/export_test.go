package notify

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Seams of the tests: where names are resolved, where requests go, what time it is.

func (s *Sender) SetResolver(resolver *net.Resolver) { s.guard.dialer.Resolver = resolver }

// Reroute sends every request to one address, as if it were the one named.
func (s *Sender) Reroute(address string) {
	s.http.Transport = reroute{address: address, next: s.http.Transport}
}

func (s *Sender) SetRoots(roots *x509.CertPool) { s.roots = roots }

func (s *Sender) SetClock(now func() time.Time) { s.hosts.now = now }

func (s *Sender) HostsKept() int {
	s.hosts.mu.Lock()
	defer s.hosts.mu.Unlock()
	return len(s.hosts.byName)
}

type reroute struct {
	address string
	next    http.RoundTripper
}

func (r reroute) RoundTrip(request *http.Request) (*http.Response, error) {
	copied := request.Clone(request.Context())
	copied.URL.Scheme, copied.URL.Host = "http", r.address
	copied.Host = request.URL.Host
	return r.next.RoundTrip(copied)
}

func IsPublic(address string) bool { return isPublic(netip.MustParseAddr(address)) }

func RetryAfter(header string, now time.Time) time.Time { return retryAfter(header, now) }

func FormOf(scheme string) string { return services[scheme].form }

// Check reports whether a message could be sent to a url, as far as its form
// tells: no name is resolved and nothing is called. The error is a *SendError.
func Check(rawURL string) error {
	if _, fault := parseTarget(rawURL); fault != nil {
		return fault
	}
	return nil
}

const (
	MaxPerHost  = maxPerHost
	MaxFailures = maxFailures
	FirstPause  = firstPause
)
