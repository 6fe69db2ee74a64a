package fakeforge

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong with calls to come. The first fault that
// matches a call strikes it.
type Fault struct {
	// Method, Path and Asks say which calls: Path is the end of the path, Asks a part
	// of the body; empty matches any.
	Method string
	Path   string
	Asks   string
	// Times is how often it strikes; 0 is once, negative is for ever.
	Times int
	// AfterApplying lets the change happen and spoils the answer only.
	AfterApplying bool

	// Delay makes the call slow. Reached is closed when the first call is there,
	// Hold keeps it until it is closed. With none of Status and Drop the call
	// then goes its way.
	Delay   time.Duration
	Reached chan struct{}
	Hold    <-chan struct{}

	// Status, Message and Header are the answer, with Body in place of the message
	// where there is one.
	Status  int
	Message string
	Header  http.Header
	Body    any
	// Drop closes the connection without an answer.
	Drop bool

	used    int
	reached sync.Once
}

// TooManyRequests is a 429 that says how long to wait.
func TooManyRequests(wait time.Duration) *Fault {
	return &Fault{
		Status: http.StatusTooManyRequests, Message: "429 Too Many Requests",
		Header: http.Header{"Retry-After": {strconv.Itoa(int(wait.Seconds()))}},
	}
}

func (f *Fault) passes() bool { return f.Status == 0 && !f.Drop }

func (f *Fault) matches(r *http.Request) bool {
	return (f.Method == "" || f.Method == r.Method) && strings.HasSuffix(r.URL.Path, f.Path) &&
		(f.Asks == "" || strings.Contains(bodyOf(r), f.Asks))
}

// bodyOf reads the body, and leaves it to be read again.
func bodyOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}

// Fail arranges for faults in the order given.
func (c *Core) Fail(faults ...*Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, faults...)
}

func (c *Core) takeFault(r *http.Request) *Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, fault := range c.faults {
		if !fault.matches(r) {
			continue
		}
		fault.used++
		if fault.Times >= 0 && fault.used >= max(1, fault.Times) {
			c.faults = slices.Delete(slices.Clone(c.faults), i, i+1)
		}
		return fault
	}
	return nil
}

// strike carries a fault out. answer is what the call would have got, nil
// before it was applied.
func (c *Core) strike(w http.ResponseWriter, r *http.Request, fault *Fault, answer *Reply) {
	fault.wait()
	switch {
	case fault.Drop:
		c.called(r, 0)
		panic(http.ErrAbortHandler)
	case fault.Status != 0:
		reply := Message(fault.Status, fault.Message)
		reply.Header = fault.Header
		if fault.Body != nil {
			reply.Body = fault.Body
		}
		c.answer(w, r, reply)
	case answer != nil:
		c.answer(w, r, *answer)
	}
}

// wait is not cut short when the caller goes away: what is on its way arrives.
func (f *Fault) wait() {
	if f.Reached != nil {
		f.reached.Do(func() { close(f.Reached) })
	}
	time.Sleep(f.Delay)
	if f.Hold != nil {
		<-f.Hold
	}
}
