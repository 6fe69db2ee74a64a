package fakegithub

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong with calls to come. The first fault that
// matches a call strikes it.
type Fault struct {
	// Method, Path and Body say which calls: Path is a part of the path, Body of
	// the body; empty matches any.
	Method string
	Path   string
	Body   string
	// Times is how often it strikes; 0 is once, negative is for ever.
	Times int
	// AfterApplying lets the change happen and spoils the answer only.
	AfterApplying bool

	// Delay makes the call slow. Reached is closed when the first call is there, Hold
	// keeps it until it is closed. With none of Status and Drop the call then
	// goes its way.
	Delay   time.Duration
	Reached chan struct{}
	Hold    <-chan struct{}

	// Status, Message, DocumentationURL and Header are the answer.
	Status           int
	Message          string
	DocumentationURL string
	Header           http.Header
	// Drop closes the connection without an answer.
	Drop bool

	used    int
	reached *sync.Once
}

// passes reports whether the call goes its way after the delay.
func (f *Fault) passes() bool { return f.Status == 0 && !f.Drop }

func (f *Fault) matches(r *http.Request) bool {
	return (f.Method == "" || f.Method == r.Method) && strings.Contains(r.URL.Path, f.Path) && (f.Body == "" || strings.Contains(bodyOf(r), f.Body))
}

// bodyOf reads the body and leaves it to be read again.
func bodyOf(r *http.Request) string {
	read, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	r.Body = io.NopCloser(bytes.NewReader(read))
	return string(read)
}

// Fail arranges for faults in the order given.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fault := range faults {
		fault.reached = new(sync.Once)
		s.faults = append(s.faults, &fault)
	}
}

// Heal removes all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) takeFault(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, fault := range s.faults {
		if !fault.matches(r) {
			continue
		}
		fault.used++
		if fault.Times >= 0 && fault.used >= max(1, fault.Times) {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
		}
		return fault
	}
	return nil
}

// strike carries a fault out. answer is what the call would have got, nil
// before it was applied.
func (s *Server) strike(w http.ResponseWriter, r *http.Request, fault *Fault, answer *reply) {
	fault.wait()
	switch {
	case fault.Drop:
		s.mu.Lock()
		s.called(r, 0)
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	case fault.Status != 0:
		s.answer(w, r, fault.reply())
	case answer != nil:
		s.answer(w, r, *answer)
	}
}

// wait is not cut short when the caller goes away: what is on its way to
// GitHub arrives there.
func (f *Fault) wait() {
	if f.Reached != nil {
		f.reached.Do(func() { close(f.Reached) })
	}
	time.Sleep(f.Delay)
	if f.Hold != nil {
		<-f.Hold
	}
}

func (f *Fault) reply() reply {
	answer := failure(f.Status, f.Message)
	if f.DocumentationURL != "" {
		answer.body = map[string]string{"message": f.Message, "documentation_url": f.DocumentationURL}
	}
	answer.header = f.Header
	return answer
}

// PrimaryLimit is the answer to a call when the hour's budget is spent: 403,
// nothing remaining, and the time at which there is more.
func PrimaryLimit(reset time.Time) Fault {
	return Fault{
		Status: http.StatusForbidden, Message: "API rate limit exceeded for user ID 1.",
		Header: http.Header{
			"X-Ratelimit-Limit":     {"5000"},
			"X-Ratelimit-Remaining": {"0"},
			"X-Ratelimit-Reset":     {strconv.FormatInt(reset.Unix(), 10)},
		},
	}
}

// SecondaryLimit is the answer to too many calls at once: 403, with the seconds
// to wait.
func SecondaryLimit(retryAfter time.Duration) Fault {
	return Fault{
		Status: http.StatusForbidden, Message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
		DocumentationURL: "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits",
		Header:           http.Header{"Retry-After": {strconv.Itoa(int(retryAfter.Seconds()))}},
	}
}

// TooManyRequests is the limit as a 429.
func TooManyRequests(retryAfter time.Duration) Fault {
	fault := SecondaryLimit(retryAfter)
	fault.Status = http.StatusTooManyRequests
	return fault
}

// BadGateway is a 502 of GitHub's edge; whether the call was applied, it does
// not say.
func BadGateway() Fault {
	return Fault{Status: http.StatusBadGateway, Message: "Server Error"}
}
