package actuator

import (
	"encoding/json"

	"pawl/schemas"
)

// readRecord implements readRecorder. The merge request stands in it as the API
// gave it: its fields are not those of a webhook, and the decoder knows both.
func (*GitLab) readRecord(_ Ref, live Live) readRecord {
	return readRecord{
		provider: "gitlab", event: "merge_request", header: schemas.Header{Name: "X-Gitlab-Event", Value: "Merge Request Hook"},
		body: struct {
			Kind         string          `json:"object_kind"`
			MergeRequest json.RawMessage `json:"merge_request"`
		}{"merge_request", live.PullRequest},
	}
}
