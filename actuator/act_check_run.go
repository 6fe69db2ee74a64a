package actuator

import (
	"cmp"
	"context"
	"fmt"

	"pawl/schemas"
)

// checkRunEffect: a check run of ours shows what is wanted. Its external id is
// the key, so that it is found again.
type checkRunEffect struct {
	provider checkReporter
	ref      Ref
	key      schemas.IdempotencyKey
	params   CheckRunParams

	there *LiveCheckRun // what the look found to update
}

// filled gives the output both parts where it has one: providers want both.
func (e *checkRunEffect) filled() CheckRunParams {
	params := e.params
	if params.Title != "" || params.Summary != "" {
		params.Title = cmp.Or(params.Title, params.Name)
		params.Summary = cmp.Or(params.Summary, params.Title)
	}
	return params
}

func (e *checkRunEffect) look(ctx context.Context) (sight, error) {
	run, found, err := e.provider.FindCheckRun(ctx, e.ref, e.params.SHA, e.params.Name, string(e.key))
	e.there = nil
	if err != nil || !found {
		return sight{}, err
	}
	e.there = &run
	if shows(run.CheckRunParams, e.filled()) {
		return sight{found: true, reason: fmt.Sprintf("found check run %d", run.ID)}, nil
	}
	return sight{}, nil
}

// shows reports whether a run shows what is wanted. Where no address was given,
// the provider puts one.
func shows(live, wanted CheckRunParams) bool {
	if wanted.DetailsURL == "" {
		live.DetailsURL = ""
	}
	return live == wanted
}

func (e *checkRunEffect) change(ctx context.Context) (string, error) {
	if e.there == nil {
		return "", e.provider.CreateCheckRun(ctx, e.ref, string(e.key), e.filled())
	}
	return fmt.Sprintf("updated check run %d", e.there.ID), e.provider.UpdateCheckRun(ctx, e.ref, e.there.ID, e.filled())
}
