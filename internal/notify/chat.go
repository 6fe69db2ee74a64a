package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

var (
	// errNoCall answers calls that are not to be made. It is none that a service
	// tries again on.
	errNoCall = errors.New("not called")
	errPanic  = errors.New("the service's code panicked")
)

// do is a types.HTTPClient.
type do func(*http.Request) (*http.Response, error)

// Do implements types.HTTPClient.
func (d do) Do(request *http.Request) (*http.Response, error) { return d(request) }

// refuse is the client of a service that is only to read its url.
var refuse = do(func(*http.Request) (*http.Response, error) { return nil, errNoCall })

// open makes the service of a url, with a network of one client. Services keep
// what they were told with a message, so each message has its own.
func (to target) open(network do) (client, *SendError) {
	if to.scheme == "matrix" && to.url.User.Username() != "" {
		return nil, permanent(to.scheme, "a login by password is not offered; use an access token: %s", to.service.form)
	}
	opened, at := to.service.make(), *to.url
	opened.SetHTTPClient(network) // some call home when they are initialized
	err := contain(func() error { return opened.Initialize(&at, nil) })
	if err != nil { // its text has parts of the url
		return nil, permanent(to.scheme, "the url has not the form %s", to.service.form)
	}
	opened.SetHTTPClient(network) // and some make a client of their own then
	return opened, nil
}

// contain turns a panic of a service's code into an error.
func contain(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic // what it panicked with may be a part of the url
		}
	}()
	return call()
}

// talk is what a service said and heard while it sent one message.
type talk struct {
	// mu guards all below.
	mu    sync.Mutex
	calls int
	last  answer
	// at is where the last call went.
	at string
	// fault is of the last call. One that is not permanent ends the talk.
	fault *SendError
}

// network is the only way by which a service reaches anything: under the
// caller's context instead of the service's own, and with an end to its retries.
func (s *Sender) network(ctx context.Context, talk *talk) do {
	return func(request *http.Request) (*http.Response, error) {
		talk.mu.Lock()
		defer talk.mu.Unlock()
		if talk.fault != nil && talk.fault.Verdict != Permanent {
			return nil, errNoCall
		}
		talk.calls++
		talk.at = origin(request.URL)
		talk.last, talk.fault = s.exchange(request.WithContext(ctx))
		if talk.fault == nil {
			return talk.last.Response, nil
		}
		if talk.last.Response == nil {
			return nil, errNoCall
		}
		// To the service every refusal is final: it is the caller who waits.
		if talk.fault.Verdict != Permanent {
			talk.last.StatusCode = http.StatusBadRequest
			talk.last.Status = "400 Bad Request"
		}
		return talk.last.Response, nil
	}
}

func (s *Sender) sendChat(ctx context.Context, to target, message Message) *SendError {
	talk := &talk{}
	opened, fault := to.open(s.network(ctx, talk))
	if fault != nil {
		return fault
	}
	text, params := to.service.compose(to, message)
	err := contain(func() error { return opened.Send(text, &params) })
	talk.mu.Lock()
	defer talk.mu.Unlock()
	return talk.verdict(to, err)
}

// compose puts a message into a service's own fields.
func (s *service) compose(to target, message Message) (string, types.Params) {
	params, text := types.Params{}, message.Text
	switch {
	case message.Title == "":
	case s.titled:
		params.SetTitle(message.Title)
	default:
		text = message.Title + "\n\n" + text
	}
	if s.keyed != "" && message.Key != "" && !to.url.Query().Has(s.keyed) {
		params[s.keyed] = message.Key
	}
	return text, params
}

// verdict reads a talk. What the service made of it counts only where the last
// answer alone does not tell: its error can hold the url.
func (t *talk) verdict(to target, err error) *SendError {
	switch {
	case t.calls == 0 && err != nil:
		return permanent(to.scheme, "the service does not take this message: it is too long for it, or the url lacks a value; the form is %s", to.service.form)
	case t.calls == 0:
		return permanent(to.scheme, "the service sent nothing")
	case t.fault != nil:
		return t.fault
	case err == nil:
		return nil
	case t.last.cut:
		return unknown(t.at, "the answer was cut off after the message was sent")
	}
	return permanent(t.at, "answered %d, and in it that the message is refused%s", t.last.StatusCode, t.code(to))
}

var codeForm = regexp.MustCompile(`^[a-z]{2,20}(_[a-z]{2,20}){1,4}$`)

// code returns the error that a service names in a JSON answer, as Slack does
// (channel_not_found): a word that is surely no part of the url.
func (t *talk) code(to target) string {
	var named struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(t.last.body, &named) != nil || !codeForm.MatchString(named.Error) || strings.Contains(to.url.String(), named.Error) {
		return ""
	}
	return fmt.Sprintf(" (%s)", named.Error)
}
