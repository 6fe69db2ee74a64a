package actuator

import (
	"context"
	"time"

	"pawl/schemas"
)

// making is what there is to make an effect from.
type making struct {
	mutation
	gate   *gate
	ref    Ref
	author string
	report func(context.Context, Live) error
}

// decided is the pull request that the decision saw.
func (m making) decided() *schemas.PullRequest {
	if m.Transition.PullRequest == nil {
		return &schemas.PullRequest{}
	}
	return m.Transition.PullRequest
}

// effectMakers is the table of kinds. A new kind of mutation is a line here and
// a file of its own; the crash matrix fails until it has a row there.
func effectMakers() map[schemas.MutationKind]func(making) (effect, error) {
	return map[schemas.MutationKind]func(making) (effect, error){
		schemas.MutateComment:       makeComment,
		schemas.MutateDeleteComment: makeDeleteComment,
		schemas.MutateClose:         func(m making) (effect, error) { return &closeEffect{provider: m.gate, ref: m.ref}, nil },
		schemas.MutateReopen:        func(m making) (effect, error) { return &reopenEffect{provider: m.gate, ref: m.ref}, nil },
		schemas.MutateMerge:         makeMerge,
		schemas.MutateUpdateBranch:  makeUpdateBranch,
		schemas.MutateAddLabels:     makeLabels,
		schemas.MutateRemoveLabels:  makeLabels,
		schemas.MutateRequestReview: makeRequestReview,
		schemas.MutateApprove:       makeApprove,
		schemas.MutateDismissReview: makeDismissReview,
		schemas.MutateCheckRun:      makeCheckRun,
		schemas.MutateCommitStatus:  makeCommitStatus,
	}
}

// makeComment makes a plain comment or a sticky one.
func makeComment(m making) (effect, error) {
	sticky := &stickyEffect{provider: m.gate, ref: m.ref, key: m.IdempotencyKey, decided: m.CreatedAt}
	if err := params(m.mutation, sticky); err != nil || sticky.Name != "" {
		return sticky, err
	}
	return &commentEffect{provider: m.gate, ref: m.ref, key: m.IdempotencyKey, Body: sticky.Body}, nil
}

func makeDeleteComment(m making) (effect, error) {
	e := &deleteCommentEffect{provider: m.gate, ref: m.ref}
	if err := params(m.mutation, e); err != nil {
		return nil, err
	}
	return e, e.check(m.Transition.Comment)
}

func makeMerge(m making) (effect, error) {
	e := &mergeEffect{provider: m.gate, ref: m.ref, asked: m.Attempt > 1, report: m.report}
	return e, params(m.mutation, &e.params)
}

func makeUpdateBranch(m making) (effect, error) {
	e := &updateBranchEffect{provider: m.gate, ref: m.ref}
	return e, params(m.mutation, e)
}

func makeLabels(m making) (effect, error) {
	e := &labelsEffect{provider: m.gate, ref: m.ref, remove: m.Kind == schemas.MutateRemoveLabels, decided: m.decided().Labels}
	return e, params(m.mutation, e)
}

func makeRequestReview(m making) (effect, error) {
	e := &requestReviewEffect{provider: m.gate, ref: m.ref, author: m.author}
	return e, params(m.mutation, e)
}

func makeApprove(m making) (effect, error) {
	if _, err := able[approver](m.gate, "approve"); err != nil {
		return nil, err
	}
	e := &approveEffect{provider: m.gate, ref: m.ref, key: m.IdempotencyKey, report: m.report}
	return e, params(m.mutation, e)
}

func makeDismissReview(m making) (effect, error) {
	if _, err := able[dismisser](m.gate, "dismiss reviews"); err != nil {
		return nil, err
	}
	e := &dismissReviewEffect{provider: m.gate, ref: m.ref, decided: m.decided()}
	return e, params(m.mutation, e)
}

func makeCheckRun(m making) (effect, error) {
	e := &checkRunEffect{provider: m.gate, ref: m.ref, key: m.IdempotencyKey}
	return e, params(m.mutation, &e.params)
}

func makeCommitStatus(m making) (effect, error) {
	since := time.Time{}
	if m.Attempt > 1 {
		since = m.CreatedAt
	}
	e := &statusEffect{provider: m.gate, ref: m.ref, since: since}
	err := params(m.mutation, &e.params)
	if keeper, ok := m.gate.provider.(stateKeeper); ok {
		e.params.State = keeper.KeptState(e.params.State)
	}
	return e, err
}
