package notify

import (
	"cmp"
	"context"
	"crypto/x509"
	"net/http"
	"strings"
	"time"
)

// defaultTimeout bounds a Send whose context has no earlier end.
const defaultTimeout = 10 * time.Second

// Config is what a Sender is made of. The zero value reaches public addresses.
type Config struct {
	// Allow names what may be reached beside public addresses: hosts by name
	// (hooks.internal), addresses (127.0.0.1), ranges (10.0.0.0/8). It is
	// notify.allow of the configuration.
	Allow []string
	// Timeout bounds one Send; zero is ten seconds.
	Timeout time.Duration
}

// Message is what a rule says. Receivers without titles get the title as the
// first line.
type Message struct {
	Title string
	Text  string
	// Key is the idempotency key: the same for each attempt of one message, and
	// for no other message.
	Key string
	// Data is what the message is about, as JSON, for webhooks alone.
	Data any
}

// Sender sends messages. It can be used by many at once, and has nothing to
// close.
type Sender struct {
	guard   *guard
	hosts   *hosts
	http    *http.Client
	timeout time.Duration
	// roots are who may vouch for mail servers; nil are those of the machine.
	roots *x509.CertPool
}

// New returns a Sender, or every fault of the configuration.
func New(config Config) (*Sender, error) {
	guard, err := newGuard(config.Allow)
	if err != nil {
		return nil, err
	}
	return &Sender{
		guard:   guard,
		hosts:   &hosts{now: time.Now, byName: map[string]*host{}},
		timeout: cmp.Or(config.Timeout, defaultTimeout),
		http: &http.Client{
			Transport: &http.Transport{ // no proxy: the guard would see the proxy's address only
				DialContext:            guard.dial,
				DisableKeepAlives:      true,
				MaxResponseHeaderBytes: 64 << 10,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Send sends a message to a url once. It returns within the context's and the
// configured time, and the error is a *SendError.
func (s *Sender) Send(ctx context.Context, url string, message Message) error {
	to, fault := parseTarget(url)
	if fault != nil {
		return fault
	}
	if strings.TrimSpace(message.Text) == "" {
		return permanent(to.scheme, "the message has no text")
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	message.Title = strings.Join(strings.Fields(message.Title), " ") // titles become headers
	if fault := s.sendTo(ctx, to, message); fault != nil {
		return fault
	}
	return nil
}

func (s *Sender) sendTo(ctx context.Context, to target, message Message) *SendError {
	switch {
	case to.service != nil:
		return s.sendChat(ctx, to, message)
	case to.mail != nil:
		return s.sendMail(ctx, to, message)
	}
	return s.sendWebhook(ctx, to, message)
}
