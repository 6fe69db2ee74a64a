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

// reporter returns what appends a live read of the mutation's pull request to
// the log (I12), as a delivery of the source that the mutation goes back to. It
// states no action, for none is known. The id is a hash of the body: the same
// read, appended twice, is a duplicate.
func (a *Actuator) reporter(m mutation, ref Ref) func(context.Context, Live) error {
	return func(ctx context.Context, live Live) error {
		body, err := json.Marshal(struct {
			Number      int64           `json:"number"`
			PullRequest json.RawMessage `json:"pull_request"`
			Repository  json.RawMessage `json:"repository"`
		}{ref.Number, live.PullRequest, live.Repository})
		if err != nil {
			return fmt.Errorf("report %s#%d: %w", ref.Repository, ref.Number, err)
		}
		sum := sha256.Sum256(body)
		record := schemas.Record{
			Key:             m.Entity,
			ID:              schemas.DeliveryID("read:" + hex.EncodeToString(sum[:16])),
			Source:          m.Transition.Cause.Source,
			Provider:        "github",
			Event:           "pull_request",
			Subject:         fmt.Sprintf("%s#%d", ref.Repository, ref.Number),
			ReceivedAt:      time.Now().UTC(),
			ContentType:     schemas.ContentTypeJSON,
			TraceParent:     m.Transition.Cause.TraceParent,
			ProviderHeaders: []schemas.Header{{Name: "X-GitHub-Event", Value: "pull_request"}},
			Body:            body,
		}
		if err := a.appender.Append(ctx, record); err != nil {
			return fmt.Errorf("append a read of %s#%d to the log: %w", ref.Repository, ref.Number, err)
		}
		return nil
	}
}
