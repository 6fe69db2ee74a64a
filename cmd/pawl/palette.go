package main

import "pawl/schemas"

// palette colours words where the output takes colour.
type palette struct{ on bool }

func paint(on bool) palette { return palette{on} }

func (p palette) wrap(code, text string) string {
	if !p.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string   { return p.wrap("1", text) }
func (p palette) dim(text string) string    { return p.wrap("2", text) }
func (p palette) red(text string) string    { return p.wrap("31", text) }
func (p palette) green(text string) string  { return p.wrap("32", text) }
func (p palette) yellow(text string) string { return p.wrap("33", text) }

// verdict colours a verdict, padded to the longest.
func (p palette) verdict(verdict string) string {
	padded := (verdict + "         ")[:max(len(verdict), 9)]
	switch schemas.Verdict(verdict) {
	case schemas.Applied:
		return p.green(padded)
	case schemas.Dead:
		return p.red(padded)
	case schemas.Stale, schemas.Duplicate:
		return p.yellow(padded)
	case schemas.Unchanged, schemas.Ignored:
	}
	return p.dim(padded)
}

// state colours the state of a mutation.
func (p palette) state(state string) string {
	switch schemas.MutationState(state) {
	case schemas.MutationDone:
		return p.green(state)
	case schemas.MutationDead:
		return p.red(state)
	case schemas.MutationPlanned, schemas.MutationWaiting, schemas.MutationPending, schemas.MutationClaimed,
		schemas.MutationSkipped, schemas.MutationCancelled:
	}
	return p.yellow(state)
}
