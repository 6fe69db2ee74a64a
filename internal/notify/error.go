package notify

import (
	"fmt"
	"time"
)

// Verdict says what a caller can do about a failure.
type Verdict string

// The verdicts.
const (
	Permanent Verdict = "permanent" // the same message to the same target fails again
	Later     Verdict = "later"     // not delivered; a later attempt may be
	Unknown   Verdict = "unknown"   // sent, without an answer that says whether it was delivered
)

// Valid reports whether the verdict is one of those above.
func (v Verdict) Valid() bool {
	switch v {
	case Permanent, Later, Unknown:
		return true
	}
	return false
}

// SendError is every failure of this package. It can be printed and stored: of
// the target it holds the scheme and the host.
type SendError struct {
	Verdict Verdict
	// Target is the scheme, and the host where one was called.
	Target string
	// Reason says what happened, without anything of the target.
	Reason string
	// RetryAt is when the receiver wants the next attempt; zero is up to the
	// caller. It is set with Later only.
	RetryAt time.Time
}

// Error returns the text of the failure.
func (e *SendError) Error() string {
	text := "notify"
	if e.Target != "" {
		text += " " + e.Target
	}
	text += ": " + e.Reason
	if !e.RetryAt.IsZero() {
		text += "; again at " + e.RetryAt.UTC().Format(time.RFC3339)
	}
	return text
}

func permanent(target, reason string, args ...any) *SendError {
	return &SendError{Verdict: Permanent, Target: target, Reason: fmt.Sprintf(reason, args...)}
}

func later(target string, at time.Time, reason string, args ...any) *SendError {
	return &SendError{Verdict: Later, Target: target, Reason: fmt.Sprintf(reason, args...), RetryAt: at}
}

func unknown(target, reason string, args ...any) *SendError {
	return &SendError{Verdict: Unknown, Target: target, Reason: fmt.Sprintf(reason, args...)}
}
