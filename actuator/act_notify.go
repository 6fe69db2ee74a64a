package actuator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pawl/internal/notify"
	"pawl/schemas"
)

// Notifier sends messages. Its errors are *notify.SendError.
type Notifier interface {
	Send(ctx context.Context, url string, message notify.Message) error
}

// notifyEffect: a message was sent. There is nothing to look at: a receiver that
// knows the key takes a second sending for the first, and a chat may show it
// twice after an answer that was lost.
type notifyEffect struct {
	gate     *gate
	notifier Notifier
	// resolve turns the reference into the address, which is a secret.
	resolve func(reference string) (string, error)
	about   notification
	key     schemas.IdempotencyKey
	URL     string `json:"url"`
	Title   string `json:"title"`
	Text    string `json:"text"`
}

// notification is what a webhook is told beside the text.
type notification struct {
	Entity     schemas.EntityKey    `json:"entity"`
	Repository string               `json:"repository,omitempty"`
	Number     int64                `json:"number,omitempty"`
	Rule       string               `json:"rule"`
	Transition schemas.TransitionID `json:"transition_id"`
	Kind       schemas.Kind         `json:"kind"`
	From       schemas.Value        `json:"from"`
	To         schemas.Value        `json:"to"`
}

func (a *Actuator) makeNotify(m mutation, g *gate) (effect, error) {
	if a.config.Notifier == nil || a.config.Resolve == nil {
		return nil, errors.New("nobody is configured to send notifications")
	}
	e := &notifyEffect{
		gate: g, notifier: a.config.Notifier, resolve: a.config.Resolve, key: m.IdempotencyKey,
		about: notification{
			Entity: m.Entity, Rule: m.Rule, Transition: m.TransitionID,
			Kind: m.Transition.Kind, From: m.Transition.From, To: m.Transition.To,
		},
	}
	if pr := newestOf(m).PullRequest; pr != nil {
		e.about.Repository, e.about.Number = pr.Repository, pr.Number
	}
	return e, params(m, e)
}

func (e *notifyEffect) look(context.Context) (sight, error) { return sight{}, nil }

func (e *notifyEffect) change(ctx context.Context) (string, error) {
	url, err := e.resolve(e.URL)
	if err != nil {
		return "", &notify.SendError{Verdict: notify.Permanent, Reason: err.Error()}
	}
	err = passDone(ctx, e.gate, func(ctx context.Context) error {
		err := e.notifier.Send(ctx, url, notify.Message{Title: e.Title, Text: e.Text, Key: string(e.key), Data: e.about})
		noteSending(ctx, e.URL, err)
		return err
	})
	return "sent to " + e.URL, err
}

// noteSending puts into the evidence where it was sent, by the reference.
func noteSending(ctx context.Context, reference string, err error) {
	noted, ok := ctx.Value(evidenceKey{}).(*evidence)
	if !ok {
		return
	}
	answer := "taken"
	if err != nil {
		answer = err.Error()
	}
	noted.call("notify", reference, answer)
}

// notifyFailure classifies a failure to send.
func notifyFailure(err error) (failure, bool) {
	var sending *notify.SendError
	if !errors.As(err, &sending) {
		return failure{}, false
	}
	switch {
	case sending.Verdict == notify.Permanent:
		return failure{verdict: permanent, err: err}, true
	case sending.Verdict == notify.Later && !sending.RetryAt.IsZero():
		return failure{verdict: limited, wait: min(max(time.Until(sending.RetryAt), 0), maxPause), err: err}, true
	case sending.Verdict == notify.Unknown:
		return failure{verdict: unknown, err: fmt.Errorf("%w (there is nothing to look at: it is sent again under the same key)", err)}, true
	}
	return failure{verdict: transient, err: err}, true
}
