package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 256 << 10
	// maxRetryAfter bounds what a receiver can ask for.
	maxRetryAfter = 24 * time.Hour
)

// origin returns what may be said of a url.
func origin(at *url.URL) string { return at.Scheme + "://" + at.Host }

// answer is an answer whose body is in memory.
type answer struct {
	*http.Response
	body []byte
	// cut says that the body did not come whole.
	cut bool
}

// exchange sends one request and reads the answer. With a fault that is an
// answer it returns both.
func (s *Sender) exchange(request *http.Request) (answer, *SendError) {
	at := origin(request.URL)
	leave, again, reason := s.hosts.enter(foldHost(request.URL.Host))
	if leave == nil {
		return answer{}, later(at, again, "%s", reason)
	}
	var sent atomic.Bool
	ctx := httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	})
	response, err := s.http.Do(request.WithContext(ctx))
	if err != nil {
		leave(outcomeOf(ctx, err))
		return answer{}, connectionFault(ctx, at, sent.Load(), err)
	}
	got, how := read(ctx, response)
	leave(how)
	return got, statusFault(at, response)
}

// read reads an answer whole, and says what it shows of the host.
func read(ctx context.Context, response *http.Response) (answer, outcome) {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	_ = response.Body.Close() // read only
	response.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case err != nil:
		return answer{response, body, true}, outcomeOf(ctx, err)
	case response.StatusCode >= http.StatusInternalServerError:
		return answer{response, body, false}, failed
	}
	return answer{response, body, false}, answered
}

// statusFault classifies an answer by its status.
func statusFault(at string, response *http.Response) *SendError {
	status := response.StatusCode
	text := strconv.Itoa(status) + " " + http.StatusText(status)
	again := retryAfter(response.Header.Get("Retry-After"), time.Now())
	switch {
	case status/100 == 2:
		return nil
	case status/100 == 3:
		return permanent(at, "answered %s; redirects are not followed, write the address it leads to", text)
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		return later(at, again, "answered %s", text)
	case status >= http.StatusInternalServerError && !again.IsZero():
		return later(at, again, "answered %s", text)
	case status >= http.StatusInternalServerError:
		return unknown(at, "answered %s", text)
	}
	return permanent(at, "answered %s", text)
}

// retryAfter reads both forms of the header, and the fractions that Discord
// sends; zero is none.
func retryAfter(header string, now time.Time) time.Time {
	header = strings.TrimSpace(header)
	limit := now.Add(maxRetryAfter)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds >= 0 {
		if seconds >= maxRetryAfter.Seconds() {
			return limit
		}
		return now.Add(time.Duration(seconds * float64(time.Second)))
	}
	at, err := http.ParseTime(header)
	switch {
	case err != nil:
		return time.Time{}
	case at.Before(now):
		return now
	case at.After(limit):
		return limit
	}
	return at
}

// connectionFault classifies what went wrong without an answer. The error holds
// the whole url, so nothing of its text is used.
func connectionFault(ctx context.Context, at string, sent bool, err error) *SendError {
	switch reason := reasonOf(ctx, err); {
	case errors.Is(err, errRefused):
		return permanent(at, "%s: it is private, or of this machine; allow the host or its range with notify.allow if that is meant", errRefused)
	case sent:
		return unknown(at, "%s after the message was sent", reason)
	default:
		return later(at, time.Time{}, "%s; nothing was sent", reason)
	}
}

func reasonOf(ctx context.Context, err error) string {
	var (
		name        *net.DNSError
		certificate *tls.CertificateVerificationError
		timeout     net.Error
	)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return "the call was given up"
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	case errors.As(err, &name):
		return "the host's name could not be resolved"
	case errors.As(err, &certificate):
		return "the host's certificate was not accepted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	}
	return "the connection failed"
}

// outcomeOf tells trouble of the host from trouble of ours.
func outcomeOf(ctx context.Context, err error) outcome {
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, errRefused) {
		return withdrawn
	}
	return failed
}
