package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"pawl/internal/provider"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

// accepted is the body of a 2xx.
type accepted struct {
	DeliveryID schemas.DeliveryID `json:"delivery_id"`
	Key        schemas.EntityKey  `json:"key"`
	Partition  int                `json:"partition"`
	Offset     int64              `json:"offset"`
}

// refusal is an answer that is not a 2xx: the provider still has the delivery.
type refusal struct {
	status  int
	outcome string // of the metric, and the error of the answer
	what    string
	do      string
	event   string // label of the metric; empty for what was not verified
	err     error  // for the log only
}

// refused is the body of a refusal.
type refused struct {
	Error string `json:"error"`           // one word to match on
	What  string `json:"what"`            // what is wrong
	Where string `json:"where,omitempty"` // the source
	Do    string `json:"do"`              // what to do
}

// errTooLong is why a request's context ends.
var errTooLong = errors.New("the time for one delivery is over")

const sendAgain = "send the delivery again later; most providers do not by themselves, so redeliver it"

func refusalDraining() refusal {
	return refusal{http.StatusServiceUnavailable, "draining", "this edge is about to stop", sendAgain, "", nil}
}

// refusalNoSource shows of a path what can name a source: what stands behind it
// may be a token.
func refusalNoSource(path string) refusal {
	what := "no source has a path that does not begin with " + pathPrefix
	if rest, ok := strings.CutPrefix(path, pathPrefix); ok {
		name, _, more := strings.Cut(rest, "/")
		what = fmt.Sprintf("no source is configured for the path %.200q", pathPrefix+name)
		if more {
			what += " with more behind it"
		}
	}
	return refusal{
		http.StatusNotFound, "no_source", what,
		"use " + pathPrefix + "{source} with the name of a source of the configuration", "", nil,
	}
}

func refusalMethod(method string) *refusal {
	return &refusal{
		http.StatusMethodNotAllowed, "method", fmt.Sprintf("the method is %.20s", method), "send deliveries by POST", "", nil,
	}
}

func refusalMedia(err error) *refusal {
	return &refusal{
		http.StatusUnsupportedMediaType, "media_type", err.Error(), "set the webhook's content type to application/json", "", nil,
	}
}

func refusalTooLarge(limit int64) *refusal {
	return &refusal{
		http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the body is larger than %d bytes", limit),
		"nothing can be done about this delivery; read the entity from the provider instead", "", nil,
	}
}

func refusalUnread(err error) *refusal {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refusalTooLarge(large.Limit)
	case errors.Is(err, ErrBusy):
		return refusalNotAppended(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{http.StatusBadRequest, "body_slow", "the body did not come in time", sendAgain, "", err}
	}
	return &refusal{http.StatusBadRequest, "body_cut", "the body ended before its Content-Length", sendAgain, "", err}
}

// Outcomes of a source that is not set up as its webhook is.
const (
	outcomeUnsigned = "signature_missing"
	outcomeForged   = "signature_wrong"
	outcomeProvider = "wrong_provider"
	outcomePage     = "page"
)

// refusalUnverified tells a missing signature from a wrong one, and nothing of
// which secret came how near.
func refusalUnverified(err error) *refusal {
	outcome := outcomeForged
	do := "set the secret of the webhook to a secret of this source"
	if errors.Is(err, provider.ErrNoSignature) {
		outcome = outcomeUnsigned
	}
	return &refusal{http.StatusUnauthorized, outcome, err.Error(), do, "", nil}
}

// refusalProvider is for a delivery whose headers are those of another provider
// than the source's: it explains what else would look like a wrong secret.
func refusalProvider(status int, err *webhook.SenderError) *refusal {
	return &refusal{
		status, outcomeProvider, err.Error(),
		"send this webhook to a source with provider " + err.Other + ", or correct the provider of this one", "", nil,
	}
}

// refusalUnsealed is for a delivery that is verified, and is none.
func refusalUnsealed(err error) *refusal {
	if other, ok := errors.AsType[*webhook.SenderError](err); ok {
		return refusalProvider(http.StatusBadRequest, other)
	}
	outcome := "body"
	switch {
	case errors.Is(err, provider.ErrMedia):
		return refusalMedia(err)
	case errors.Is(err, provider.ErrPage):
		return &refusal{
			http.StatusForbidden, outcomePage, err.Error(),
			"add the page's id to the pages of this source, or unsubscribe the webhook from that page", labelOther, nil,
		}
	case errors.Is(err, provider.ErrHeader):
		outcome = "headers"
	}
	return &refusal{
		http.StatusBadRequest, outcome, err.Error(),
		"compare the webhook's settings with the source's; a proxy between must not touch headers and body", labelOther, nil,
	}
}

func refusalNotAppended(err error) *refusal {
	outcome, what := "log_away", "the log did not confirm the record in time"
	switch {
	case errors.Is(err, ErrBusy):
		outcome, what = "busy", "too many deliveries wait for the log"
	case errors.Is(err, ErrClosed):
		outcome, what = "draining", "this edge is about to stop"
	case errors.Is(err, context.Canceled):
		outcome, what = "gone", "the connection was cut while the delivery waited for the log"
	}
	return &refusal{http.StatusServiceUnavailable, outcome, what, sendAgain, labelOther, err}
}

// refuse answers, counts and logs what was not taken.
func (e *Edge) refuse(w http.ResponseWriter, r *http.Request, from *source, start time.Time, why refusal) {
	name, where := labelUnknown, ""
	if from != nil {
		name, where = from.name, "source "+from.name
	}
	e.metrics.refused(name, why.event, why.outcome)
	e.refusals.note(from, why, start) //nolint:contextcheck // a note outlives the request, and ends by Drain
	level := slog.LevelInfo
	switch why.status {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "2")
		level = slog.LevelWarn
	case http.StatusNotFound:
		level = slog.LevelDebug
	}
	e.log.Log(r.Context(), level, "delivery refused", "source_name", name, "status", why.status, "reason", why.outcome,
		"elapsed", time.Since(start), "err", why.err)
	answer(w, why.status, refused{Error: why.outcome, What: why.what, Where: where, Do: why.do})
}

// answer writes a JSON body. A client that is gone is no error of ours.
func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", schemas.ContentTypeJSON)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
