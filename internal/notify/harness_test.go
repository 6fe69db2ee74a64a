package notify_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pawl/internal/notify"
)

const key = "0123456789abcdef0123456789abcdef"

// secret is a signing secret, in the form that stands in a url.
var secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))

var message = notify.Message{
	Title: "Status", Text: "api is down", Key: key,
	Data: map[string]string{"entity": "github.com:101#7", "rule": "tell-status"},
}

// seen is a request that a receiver got.
type seen struct {
	host, path, body string
	header           http.Header
}

// receiver keeps what it gets, and answers by a handler after that.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []seen
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.got = append(r.got, seen{request.Host, request.URL.String(), string(body), request.Header})
		r.mu.Unlock()
		answer(w, request)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) requests() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]seen(nil), r.got...)
}

// hook is the receiver's address with a secret.
func (r *receiver) hook(path string) string { return r.URL + path + "#" + secret }

func (r *receiver) address() string { return strings.TrimPrefix(r.URL, "http://") }

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func newSender(t *testing.T, config notify.Config) *notify.Sender {
	t.Helper()
	sender, err := notify.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func loopback() notify.Config { return notify.Config{Allow: []string{"127.0.0.1"}} }

// failure returns the *SendError of an error that must be one.
func failure(t *testing.T, err error) *notify.SendError {
	t.Helper()
	var fault *notify.SendError
	if !errors.As(err, &fault) {
		t.Fatalf("got error %v, want a *SendError", err)
	}
	if !fault.Verdict.Valid() {
		t.Errorf("verdict %q is none", fault.Verdict)
	}
	return fault
}
