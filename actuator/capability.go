package actuator

import "context"

// lackError says that a provider cannot do what a mutation wants.
type lackError struct {
	instance string
	what     string
}

func (e *lackError) Error() string { return e.instance + " cannot " + e.what }

// able returns the provider behind the gate as one that can do what is wanted.
func able[T any](g *gate, what string) (T, error) {
	provider, ok := g.provider.(T)
	if !ok {
		return provider, &lackError{instance: g.instance, what: what}
	}
	return provider, nil
}

// Reopen implements reopener.
func (g *gate) Reopen(ctx context.Context, ref Ref) error {
	p, err := able[reopener](g, "reopen")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.Reopen(ctx, ref) })
}

// UpdateComment implements commentEditor.
func (g *gate) UpdateComment(ctx context.Context, ref Ref, id int64, body string) error {
	p, err := able[commentEditor](g, "edit comments")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.UpdateComment(ctx, ref, id, body) })
}

// RequestedReviewers implements reviewRequester.
func (g *gate) RequestedReviewers(ctx context.Context, ref Ref) (people, teams []string, err error) {
	p, err := able[reviewRequester](g, "request reviews")
	if err != nil {
		return nil, nil, err
	}
	people, err = pass(ctx, g, func(ctx context.Context) (asked []string, err error) {
		asked, teams, err = p.RequestedReviewers(ctx, ref)
		return asked, err
	})
	return people, teams, err
}

// RequestReview implements reviewRequester.
func (g *gate) RequestReview(ctx context.Context, ref Ref, people, teams []string) error {
	p, err := able[reviewRequester](g, "request reviews")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.RequestReview(ctx, ref, people, teams) })
}

// Reviews implements reviewReader.
func (g *gate) Reviews(ctx context.Context, ref Ref, page int) (reviews []LiveReview, next int, err error) {
	p, err := able[reviewReader](g, "list reviews")
	if err != nil {
		return nil, 0, err
	}
	reviews, err = pass(ctx, g, func(ctx context.Context) (read []LiveReview, err error) {
		read, next, err = p.Reviews(ctx, ref, page)
		return read, err
	})
	return reviews, next, err
}

// Approve implements approver.
func (g *gate) Approve(ctx context.Context, ref Ref, sha, body string) error {
	p, err := able[approver](g, "approve")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.Approve(ctx, ref, sha, body) })
}

// DismissReview implements dismisser.
func (g *gate) DismissReview(ctx context.Context, ref Ref, id int64, message string) error {
	p, err := able[dismisser](g, "dismiss reviews")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.DismissReview(ctx, ref, id, message) })
}

// FindCheckRun implements checkReporter.
func (g *gate) FindCheckRun(ctx context.Context, ref Ref, sha, name, externalID string) (run LiveCheckRun, found bool, err error) {
	p, err := able[checkReporter](g, "report check runs")
	if err != nil {
		return LiveCheckRun{}, false, err
	}
	run, err = pass(ctx, g, func(ctx context.Context) (read LiveCheckRun, err error) {
		read, found, err = p.FindCheckRun(ctx, ref, sha, name, externalID)
		return read, err
	})
	return run, found, err
}

// CreateCheckRun implements checkReporter.
func (g *gate) CreateCheckRun(ctx context.Context, ref Ref, externalID string, params CheckRunParams) error {
	p, err := able[checkReporter](g, "report check runs")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.CreateCheckRun(ctx, ref, externalID, params) })
}

// UpdateCheckRun implements checkReporter.
func (g *gate) UpdateCheckRun(ctx context.Context, ref Ref, id int64, params CheckRunParams) error {
	p, err := able[checkReporter](g, "report check runs")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.UpdateCheckRun(ctx, ref, id, params) })
}

// CommitStatus implements statusReporter.
func (g *gate) CommitStatus(ctx context.Context, ref Ref, sha, name string) (status StatusParams, found bool, err error) {
	p, err := able[statusReporter](g, "report commit statuses")
	if err != nil {
		return StatusParams{}, false, err
	}
	status, err = pass(ctx, g, func(ctx context.Context) (read StatusParams, err error) {
		read, found, err = p.CommitStatus(ctx, ref, sha, name)
		return read, err
	})
	return status, found, err
}

// CreateCommitStatus implements statusReporter.
func (g *gate) CreateCommitStatus(ctx context.Context, ref Ref, params StatusParams) error {
	p, err := able[statusReporter](g, "report commit statuses")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.CreateCommitStatus(ctx, ref, params) })
}

// UpdateBranch implements branchUpdater.
func (g *gate) UpdateBranch(ctx context.Context, ref Ref, sha string) error {
	p, err := able[branchUpdater](g, "update branches")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.UpdateBranch(ctx, ref, sha) })
}

// Parents implements branchUpdater.
func (g *gate) Parents(ctx context.Context, ref Ref, sha string) ([]string, error) {
	p, err := able[branchUpdater](g, "update branches")
	if err != nil {
		return nil, err
	}
	return pass(ctx, g, func(ctx context.Context) ([]string, error) { return p.Parents(ctx, ref, sha) })
}

// InQueue implements queuer. Where there is no queue, nothing is in it.
func (g *gate) InQueue(ctx context.Context, ref Ref) (bool, error) {
	p, ok := g.provider.(queuer)
	if !ok {
		return false, nil
	}
	return pass(ctx, g, func(ctx context.Context) (bool, error) { return p.InQueue(ctx, ref) })
}

// Enqueue implements queuer.
func (g *gate) Enqueue(ctx context.Context, ref Ref, sha string) error {
	p, err := able[queuer](g, "put pull requests into a merge queue")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.Enqueue(ctx, ref, sha) })
}

// EnableAutoMerge implements queuer.
func (g *gate) EnableAutoMerge(ctx context.Context, ref Ref, params MergeParams) error {
	p, err := able[autoMerger](g, "merge by itself later")
	if err != nil {
		return err
	}
	return passDone(ctx, g, func(ctx context.Context) error { return p.EnableAutoMerge(ctx, ref, params) })
}
