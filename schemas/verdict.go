package schemas

// Verdict is how a record ended. Every record ends in exactly one (I14).
type Verdict string

// The verdicts.
const (
	// Applied: the record changed the folded state.
	Applied Verdict = "applied"
	// Unchanged: the record was folded and the state already said the same.
	Unchanged Verdict = "unchanged"
	// Stale: the snapshot is older than what is held, and lost whole (I5).
	Stale Verdict = "stale"
	// Duplicate: (source, delivery id) was seen before with the same body.
	Duplicate Verdict = "duplicate"
	// Ignored: verified and kept in the log, but nothing is folded from it.
	Ignored Verdict = "ignored"
	// Dead: it could not be decoded or folded; it is a dead letter.
	Dead Verdict = "dead"
)

// Valid reports whether v is one of the verdicts.
func (v Verdict) Valid() bool {
	switch v {
	case Applied, Unchanged, Stale, Duplicate, Ignored, Dead:
		return true
	}
	return false
}
