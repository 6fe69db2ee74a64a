package rules

import (
	"fmt"

	"pawl/schemas"
)

// plainParams: close or reopen the pull request. There is nothing more to say.
type plainParams struct{}

func checkPlain(c mutationChecker, e entry) params {
	if !c.isNothing(e) {
		c.fault(c.place(e), "%s: want true or nothing", e.key)
	}
	return plainParams{}
}

func (plainParams) render(*variables) (any, error) { return struct{}{}, nil }

// updateBranchParams: merge the base into the head that was decided about.
type updateBranchParams struct{}

func checkUpdateBranch(c mutationChecker, e entry) params {
	checkPlain(c, e)
	return updateBranchParams{}
}

func (updateBranchParams) render(v *variables) (any, error) {
	sha, err := v.headSHA()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schemas.MutateUpdateBranch, err)
	}
	return struct {
		SHA string `json:"sha"`
	}{sha}, nil
}
