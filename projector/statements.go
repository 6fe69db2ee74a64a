package projector

import _ "embed"

// The statements, one a file.
var (
	//go:embed sql/claim_checkpoint.sql
	claimCheckpointSQL string
	//go:embed sql/read_checkpoint.sql
	readCheckpointSQL string
	//go:embed sql/advance_checkpoint.sql
	advanceCheckpointSQL string
	//go:embed sql/stop_checkpoint.sql
	stopCheckpointSQL string
	//go:embed sql/load_pull_requests.sql
	loadPullRequestsSQL string
	//go:embed sql/load_comments.sql
	loadCommentsSQL string
	//go:embed sql/load_seen.sql
	loadSeenSQL string
	//go:embed sql/save_pull_requests.sql
	savePullRequestsSQL string
	//go:embed sql/save_comments.sql
	saveCommentsSQL string
	//go:embed sql/save_deliveries.sql
	saveDeliveriesSQL string
	//go:embed sql/save_outbox.sql
	saveOutboxSQL string
	//go:embed sql/save_transitions.sql
	saveTransitionsSQL string
	//go:embed sql/save_dead_letters.sql
	saveDeadLettersSQL string
)
