package actuator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"pawl/schemas"
)

// readRecorder is a provider that has a shape of its own for a live read: one
// that its decoder takes for a read, which states no change.
type readRecorder interface {
	readRecord(ref Ref, live Live) readRecord
}

type readRecord struct {
	provider string
	event    string
	header   schemas.Header // names the event
	body     any
}

// readRecord implements readRecorder.
func (*GitHub) readRecord(ref Ref, live Live) readRecord {
	return readRecord{
		provider: "github", event: "pull_request", header: schemas.Header{Name: "X-GitHub-Event", Value: "pull_request"},
		body: pullRequestRead(ref, live),
	}
}

// pullRequestRead is a webhook's payload without what only webhooks have.
func pullRequestRead(ref Ref, live Live) any {
	return struct {
		Number      int64           `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
		Repository  json.RawMessage `json:"repository"`
	}{ref.Number, live.PullRequest, live.Repository}
}

// recorderOf returns whose shape the reads of a mutation's pull request have.
func (a *Actuator) recorderOf(m mutation) readRecorder {
	if recorder, ok := a.providers[instanceOf(m)].(readRecorder); ok {
		return recorder
	}
	return (*GitHub)(nil)
}

// reporter returns what appends a live read of the mutation's pull request to
// the log (I12), as a delivery of the source that the mutation goes back to. It
// states no action, for none is known. The id is a hash of the body: the same
// read, appended twice, is a duplicate.
func (a *Actuator) reporter(m mutation, ref Ref) func(context.Context, Live) error {
	return func(ctx context.Context, live Live) error {
		read := a.recorderOf(m).readRecord(ref, live)
		body, err := json.Marshal(read.body)
		if err != nil {
			return fmt.Errorf("report %s#%d: %w", ref.Repository, ref.Number, err)
		}
		sum := sha256.Sum256(body)
		record := schemas.Record{
			Key:             m.Entity,
			ID:              schemas.DeliveryID("read:" + hex.EncodeToString(sum[:16])),
			Source:          m.Transition.Cause.Source,
			Provider:        read.provider,
			Event:           read.event,
			Subject:         fmt.Sprintf("%s#%d", ref.Repository, ref.Number),
			ReceivedAt:      time.Now().UTC(),
			ContentType:     schemas.ContentTypeJSON,
			TraceParent:     m.Transition.Cause.TraceParent,
			ProviderHeaders: []schemas.Header{read.header},
			Body:            body,
		}
		if err := a.appender.Append(ctx, record); err != nil {
			return fmt.Errorf("append a read of %s#%d to the log: %w", ref.Repository, ref.Number, err)
		}
		return nil
	}
}
