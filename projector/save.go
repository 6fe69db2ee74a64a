package projector

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/schemas"
)

// writes queues what came of a batch, each table in one statement whose
// arguments are columns.
type writes struct {
	checkpoint Checkpoint
	batch      Batch
	results    []Result
	now        time.Time
}

// errRaced means that an entity that was not there when the batch was loaded is
// there now: another partition wrote it. The batch is read again.
var errRaced = errors.New("another partition wrote the same entity")

func (w writes) queuePullRequests(queue *pgx.Batch, rows []*schemas.PullRequest, heads map[schemas.EntityKey]schemas.EntityKey) {
	if len(rows) == 0 {
		return
	}
	fresh := countNew(rows, heads, func(r *schemas.PullRequest) schemas.EntityKey { return r.EntityKey })
	text := func(get func(*schemas.PullRequest) string) []string { return column(rows, get) }
	flag := func(get func(*schemas.PullRequest) bool) []bool { return column(rows, get) }
	count := func(get func(*schemas.PullRequest) int64) []int64 { return column(rows, get) }
	instant := func(get func(*schemas.PullRequest) time.Time) []*time.Time {
		return column(rows, func(r *schemas.PullRequest) *time.Time { return instantOf(get(r)) })
	}
	type row = *schemas.PullRequest
	queue.Queue(savePullRequestsSQL,
		text(func(r row) string { return string(r.EntityKey) }),
		text(func(r row) string { return r.Instance }),
		text(func(r row) string { return r.RepositoryID }),
		text(func(r row) string { return r.Repository }),
		count(func(r row) int64 { return r.Number }),
		text(func(r row) string { return r.Title }),
		text(func(r row) string { return r.Body }),
		text(func(r row) string { return r.Author }),
		flag(func(r row) bool { return r.AuthorIsBot }),
		text(func(r row) string { return string(r.State) }),
		flag(func(r row) bool { return r.Draft }),
		flag(func(r row) bool { return r.Locked }),
		text(func(r row) string { return r.HeadSHA }),
		text(func(r row) string { return r.HeadRef }),
		text(func(r row) string { return r.HeadRepositoryID }),
		text(func(r row) string { return string(r.HeadCommit) }),
		text(func(r row) string { return r.BaseRef }),
		text(func(r row) string { return r.BaseSHA }),
		text(func(r row) string { return arrayLiteral(r.Labels) }),
		text(func(r row) string { return r.Milestone }),
		text(func(r row) string { return arrayLiteral(r.RequestedReviewers) }),
		text(func(r row) string { return arrayLiteral(r.Assignees) }),
		flag(func(r row) bool { return r.AutoMerge }),
		text(func(r row) string { return r.MergeCommitSHA }),
		flag(func(r row) bool { return r.Queued }),
		text(func(r row) string { return r.DequeuedReason }),
		text(func(r row) string { return listJSON(r.Checks) }),
		text(func(r row) string { return listJSON(r.Reviews) }),
		text(func(r row) string { return arrayLiteral(r.Links) }),
		text(func(r row) string { return string(r.ChecksState) }),
		count(func(r row) int64 { return r.Approvals }),
		count(func(r row) int64 { return r.ApprovalsOfHead }),
		count(func(r row) int64 { return r.ChangesRequested }),
		count(func(r row) int64 { return r.UnresolvedThreads }),
		count(func(r row) int64 { return r.Comments }),
		count(func(r row) int64 { return r.ReviewComments }),
		count(func(r row) int64 { return r.Commits }),
		count(func(r row) int64 { return r.Additions }),
		count(func(r row) int64 { return r.Deletions }),
		count(func(r row) int64 { return r.ChangedFiles }),
		instant(func(r row) time.Time { return r.CreatedAt }),
		instant(func(r row) time.Time { return r.ClosedAt }),
		instant(func(r row) time.Time { return r.MergedAt }),
		instant(func(r row) time.Time { return r.ProviderUpdatedAt }),
		count(func(r row) int64 { return r.Version }),
		flag(func(r row) bool { return r.NeedsRead }),
		text(func(r row) string { return r.NeedsReadReason }),
		text(func(r row) string { return arrivalJSON(r.Arrival) }),
		w.now).
		QueryRow(func(found pgx.Row) error { return requireNew(found, fresh) })
}

// countNew counts the rows that were not there when the batch was loaded.
func countNew[R, V any](rows []R, loaded map[schemas.EntityKey]V, keyOf func(R) schemas.EntityKey) int64 {
	count := int64(0)
	for _, row := range rows {
		if _, known := loaded[keyOf(row)]; !known {
			count++
		}
	}
	return count
}

// requireNew compares how many rows a statement found to be new with how many had
// to be.
func requireNew(found pgx.Row, want int64) error {
	var got int64
	if err := found.Scan(&got); err != nil {
		return fmt.Errorf("count new rows: %w", err)
	}
	if got != want {
		return errRaced
	}
	return nil
}

func (w writes) queueComments(queue *pgx.Batch, rows []schemas.Comment) {
	if len(rows) == 0 {
		return
	}
	type row = schemas.Comment
	queue.Queue(saveCommentsSQL,
		column(rows, func(r row) string { return string(r.EntityKey) }),
		column(rows, func(r row) string { return string(r.Kind) }),
		column(rows, func(r row) string { return string(r.Parent) }),
		column(rows, func(r row) string { return r.Thread }),
		column(rows, func(r row) string { return r.Issue }),
		column(rows, func(r row) string { return string(r.State) }),
		column(rows, func(r row) string { return r.Author }),
		column(rows, func(r row) bool { return r.AuthorIsBot }),
		column(rows, func(r row) string { return r.Body }),
		column(rows, func(r row) string { return r.URL }),
		column(rows, func(r row) *time.Time { return instantOf(r.CreatedAt) }),
		column(rows, func(r row) *time.Time { return instantOf(r.ProviderUpdatedAt) }),
		column(rows, func(r row) bool { return r.Announced }),
		column(rows, func(r row) int64 { return r.Version }),
		column(rows, func(r row) bool { return r.NeedsRead }),
		column(rows, func(r row) *time.Time { return instantOf(r.RemovedAt) }),
		column(rows, func(r row) *time.Time { return instantOf(r.MissedAt) }),
		w.now)
}

// queueDeliveries writes the verdict of every record (I14).
func (w writes) queueDeliveries(queue *pgx.Batch) {
	records := w.batch.Records
	if len(records) == 0 {
		return
	}
	type row = LogRecord
	verdicts := column(w.results, func(r Result) string { return string(r.Verdict) })
	reasons := column(w.results, func(r Result) string { return storable(r.Reason) })
	reused := column(w.results, func(r Result) bool { return r.IDReused })
	queue.Queue(saveDeliveriesSQL,
		column(records, func(r row) int64 { return r.Offset }),
		column(records, func(r row) string { return identifier(r.Record.Source) }),
		column(records, func(r row) string { return identifier(string(r.Record.ID)) }),
		column(records, func(r row) string { return identifier(string(r.Record.Key)) }),
		column(records, func(r row) string { return storable(r.Record.Provider) }),
		column(records, func(r row) string { return storable(r.Record.Event) }),
		column(records, func(r row) string { return storable(r.Record.Action) }),
		column(records, func(r row) string { return storable(r.Record.Subject) }),
		column(records, func(r row) string { return storable(r.Event.Sender.Login) }),
		verdicts, reasons, reused,
		column(records, func(r row) []byte { return r.Hash[:] }),
		column(records, func(r row) *time.Time { return statedTime(r.Event) }),
		column(records, func(r row) *time.Time { return instantOf(r.Record.ReceivedAt) }),
		w.checkpoint.Topic, w.checkpoint.Partition, w.now)
}

// queueTransitions writes the transitions and, for those that are new, their
// outbox rows.
func (w writes) queueTransitions(queue *pgx.Batch) error {
	var made []schemas.Transition
	var offsets []int64
	var values []string
	queued := make(map[schemas.TransitionID]bool)
	for i, result := range w.results {
		for _, transition := range result.Transitions {
			if queued[transition.ID] {
				continue // a reused delivery id caused it twice: as in two batches, the first one stands
			}
			queued[transition.ID] = true
			value, err := json.Marshal(transition)
			if err != nil {
				return fmt.Errorf("write transition %s: %w: %w", transition.ID, errUnwritable, err)
			}
			made = append(made, transition)
			values = append(values, string(value))
			offsets = append(offsets, w.batch.Records[i].Offset)
		}
	}
	if len(made) == 0 {
		return nil
	}
	type row = schemas.Transition
	ids := column(made, func(r row) string { return string(r.ID) })
	queue.Queue(saveOutboxSQL, ids, column(made, func(r row) string { return string(r.PartitionKey()) }),
		column(made, func(r row) int32 { return shardOf(r.PartitionKey()) }), w.now)
	queue.Queue(saveTransitionsSQL, ids,
		column(made, func(r row) string { return string(r.Entity) }),
		column(made, func(r row) string { return string(r.Kind) }),
		column(made, func(r row) string { return valueText(r.From) }),
		column(made, func(r row) string { return valueText(r.To) }),
		column(made, func(r row) string { return storable(r.Cause.Source) }),
		column(made, func(r row) string { return storable(string(r.Cause.DeliveryID)) }),
		offsets, values,
		w.checkpoint.Topic, w.checkpoint.Partition, w.now)
	return nil
}

// queueDeadLetters sets dead records aside, value and headers as they stand in
// the log.
func (w writes) queueDeadLetters(queue *pgx.Batch) error {
	var dead []LogRecord
	var reasons, headers []string
	for i, result := range w.results {
		if result.Verdict != schemas.Dead {
			continue
		}
		record := w.batch.Records[i]
		text, err := headersJSON(record.Headers)
		if err != nil {
			return err
		}
		dead, reasons, headers = append(dead, record), append(reasons, storable(result.Reason)), append(headers, text)
	}
	if len(dead) == 0 {
		return nil
	}
	type row = LogRecord
	queue.Queue(saveDeadLettersSQL,
		column(dead, func(r row) int64 { return r.Offset }),
		column(dead, func(r row) string { return identifier(string(r.Record.Key)) }),
		column(dead, func(r row) string { return identifier(r.Record.Source) }),
		column(dead, func(r row) string { return identifier(string(r.Record.ID)) }),
		reasons, headers,
		column(dead, func(r row) []byte { return r.Record.Body }),
		w.checkpoint.Topic, w.checkpoint.Partition, w.now)
	return nil
}

func column[R, V any](rows []R, get func(R) V) []V {
	values := make([]V, len(rows))
	for i, row := range rows {
		values[i] = get(row)
	}
	return values
}

// instantOf returns nil for the zero time, which is null in the tables.
func instantOf(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// statedTime is the provider's time in an event, whatever the fold made of it.
func statedTime(event schemas.Event) *time.Time {
	switch {
	case event.PullRequest != nil:
		return instantOf(event.PullRequest.UpdatedAt.Value)
	case event.Review != nil:
		return instantOf(event.Review.UpdatedAt.Value)
	case event.Comment != nil:
		return instantOf(event.Comment.UpdatedAt.Value)
	case event.Thread != nil:
		return instantOf(event.Thread.UpdatedAt.Value)
	case event.Check != nil:
		return instantOf(event.Check.UpdatedAt.Value)
	case event.Repository != nil:
		return instantOf(event.Repository.UpdatedAt.Value)
	case event.Incident != nil:
		return instantOf(event.Incident.UpdatedAt.Value)
	case len(event.Components) > 0:
		return instantOf(event.Components[0].UpdatedAt.Value)
	}
	return nil
}

// valueText is a side of a transition as the table holds it: the text, or the
// list as a JSON array.
func valueText(value schemas.Value) string {
	if value.List == nil {
		return value.Text
	}
	text, _ := json.Marshal(value.List) // a list of strings always marshals
	return string(text)
}

func listJSON[T any](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(list) // texts, flags and times always marshal
	return string(text)
}

func arrivalJSON(arrival schemas.Arrival) string {
	text, _ := json.Marshal(arrival) // strings and flags always marshal
	return string(text)
}

// headersJSON writes headers as an array of [name, value].
func headersJSON(headers []schemas.Header) (string, error) {
	pairs := make([][2]string, len(headers))
	for i, header := range headers {
		pairs[i] = [2]string{storable(header.Name), storable(header.Value)}
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		return "", fmt.Errorf("write headers of a dead letter: %w", err)
	}
	return string(text), nil
}

var arrayEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// arrayLiteral writes a list in PostgreSQL's array syntax.
func arrayLiteral(list []string) string {
	if len(list) == 0 {
		return "{}"
	}
	var b strings.Builder
	for i, item := range list {
		b.WriteString([]string{`{"`, `","`}[min(i, 1)])
		_, _ = arrayEscaper.WriteString(&b, item)
	}
	b.WriteString(`"}`)
	return b.String()
}
