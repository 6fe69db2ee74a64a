package actuator

import "pawl/schemas"

// Supports returns what can be done at a provider, by its name. It is what the
// provider's type implements; at a provider that nobody acts at, only to notify
// is left, which needs none.
func Supports(provider string) func(schemas.MutationKind) bool {
	acting := actingProviders()[provider]
	return func(kind schemas.MutationKind) bool {
		can, known := abilities()[kind]
		return known && can(acting)
	}
}

// actingProviders are the types of providers: what they implement does not
// depend on a value.
func actingProviders() map[string]Provider {
	return map[string]Provider{"github": (*GitHub)(nil), "gitlab": (*GitLab)(nil), "gitea": (*Gitea)(nil)}
}

// abilities name what each kind needs of a provider: the interfaces that its
// effect calls.
func abilities() map[schemas.MutationKind]func(Provider) bool {
	return map[schemas.MutationKind]func(Provider) bool{
		schemas.MutateMerge:         is[merger],
		schemas.MutateClose:         is[Provider],
		schemas.MutateReopen:        is[reopener],
		schemas.MutateComment:       both(is[commenter], is[commentEditor]),
		schemas.MutateDeleteComment: is[commenter],
		schemas.MutateAddLabels:     is[labeler],
		schemas.MutateRemoveLabels:  is[labeler],
		schemas.MutateRequestReview: is[reviewRequester],
		schemas.MutateApprove:       both(is[approver], is[reviewReader]),
		schemas.MutateDismissReview: both(is[dismisser], is[reviewReader]),
		schemas.MutateCheckRun:      is[checkReporter],
		schemas.MutateCommitStatus:  is[statusReporter],
		schemas.MutateUpdateBranch:  is[branchUpdater],
		schemas.MutateBridgeComment: both(is[commenter], is[commentEditor]),
		schemas.MutateNotify:        func(Provider) bool { return true },
	}
}

func is[T any](provider Provider) bool {
	_, ok := provider.(T)
	return ok
}

func both(one, other func(Provider) bool) func(Provider) bool {
	return func(provider Provider) bool { return one(provider) && other(provider) }
}
