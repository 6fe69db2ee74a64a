package actuator

import (
	_ "embed"
	"encoding/json"
	"time"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// mutation is a claimed row of pawl.mutation and what is needed to act on it.
type mutation struct {
	schemas.Mutation
	Transition schemas.Transition
	// Newest is the row as of the claim, unknown where there is none.
	Newest rules.Now
	// Before are the earlier mutations of the same decision that are done.
	Before []doneBefore
}

// doneBefore is a mutation of the same decision that had its effect.
type doneBefore struct {
	Kind   schemas.MutationKind `json:"kind"`
	Params json.RawMessage      `json:"params"`
}

// lease is the right to act on one entity under a fence.
type lease struct {
	entity schemas.EntityKey
	fence  int64
	// until is when calls may no longer be started, on the monotonic clock.
	until time.Time
}

// statements are the SQL of the store, one a file.
type statements struct {
	recordDecisions, cancelPlanned, openMutations, findHolders, nameHolders string
	claimEntity, takeMutation, settleMutation, releaseLease                 string
	lookAgain, lookAtTwins, readState, saveUnreadable                       string
	countRecent, loadWaiting, cancelWaiting, wakeWaiting                    string
	loadLinked, loadMirrors, loadEarlier                                    string
	loadStatuses, loadWaitingDecisions, loadReaders                         string
	changeDecision, stopWaiting, waitFor, lockStatus, lockStatusShared      string
}

var (
	//go:embed sql/record_decisions.sql
	recordDecisionsSQL string
	//go:embed sql/cancel_planned.sql
	cancelPlannedSQL string
	//go:embed sql/open_mutations.sql
	openMutationsSQL string
	//go:embed sql/find_holders.sql
	findHoldersSQL string
	//go:embed sql/name_holders.sql
	nameHoldersSQL string
	//go:embed sql/claim_entity.sql
	claimEntitySQL string
	//go:embed sql/take_mutation.sql
	takeMutationSQL string
	//go:embed sql/settle_mutation.sql
	settleMutationSQL string
	//go:embed sql/release_lease.sql
	releaseLeaseSQL string
	//go:embed sql/look_again.sql
	lookAgainSQL string
	//go:embed sql/look_at_twins.sql
	lookAtTwinsSQL string
	//go:embed sql/read_state.sql
	readStateSQL string
	//go:embed sql/save_unreadable.sql
	saveUnreadableSQL string
	//go:embed sql/count_recent.sql
	countRecentSQL string
	//go:embed sql/load_waiting.sql
	loadWaitingSQL string
	//go:embed sql/cancel_waiting.sql
	cancelWaitingSQL string
	//go:embed sql/wake_waiting.sql
	wakeWaitingSQL string
	//go:embed sql/load_linked.sql
	loadLinkedSQL string
	//go:embed sql/load_mirrors.sql
	loadMirrorsSQL string
	//go:embed sql/load_earlier.sql
	loadEarlierSQL string
	//go:embed sql/load_statuses.sql
	loadStatusesSQL string
	//go:embed sql/load_waiting_decisions.sql
	loadWaitingDecisionsSQL string
	//go:embed sql/load_readers.sql
	loadReadersSQL string
	//go:embed sql/change_decision.sql
	changeDecisionSQL string
	//go:embed sql/stop_waiting.sql
	stopWaitingSQL string
	//go:embed sql/wait_for.sql
	waitForSQL string
	//go:embed sql/lock_status.sql
	lockStatusSQL string
	//go:embed sql/lock_status_shared.sql
	lockStatusSharedSQL string
)

func statementsOf() statements {
	return statements{
		recordDecisions: recordDecisionsSQL, cancelPlanned: cancelPlannedSQL, openMutations: openMutationsSQL,
		findHolders: findHoldersSQL, nameHolders: nameHoldersSQL,
		claimEntity: claimEntitySQL, takeMutation: takeMutationSQL, settleMutation: settleMutationSQL,
		releaseLease: releaseLeaseSQL, lookAgain: lookAgainSQL, lookAtTwins: lookAtTwinsSQL, readState: readStateSQL, saveUnreadable: saveUnreadableSQL,
		countRecent: countRecentSQL, loadWaiting: loadWaitingSQL, cancelWaiting: cancelWaitingSQL, wakeWaiting: wakeWaitingSQL,
		loadLinked: loadLinkedSQL, loadMirrors: loadMirrorsSQL, loadEarlier: loadEarlierSQL,
		loadStatuses: loadStatusesSQL, loadWaitingDecisions: loadWaitingDecisionsSQL, loadReaders: loadReadersSQL,
		changeDecision: changeDecisionSQL, stopWaiting: stopWaitingSQL, waitFor: waitForSQL,
		lockStatus: lockStatusSQL, lockStatusShared: lockStatusSharedSQL,
	}
}
