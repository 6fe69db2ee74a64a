package github_test

import (
	"testing"

	"pawl/internal/provider/github"
	"pawl/schemas"
)

// TestDecode_TimeBeyondTheYearsIsUnknown: it costs the time, not the snapshot.
func TestDecode_TimeBeyondTheYearsIsUnknown(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"} {
		body := `{"action":"opened","number":7,"repository":{"id":101,"full_name":"acme/api"},"pull_request":{"number":7,"state":"open","updated_at":"` + text + `"}}`
		event, err := github.Provider{}.Decode(schemas.Record{
			Key: "github.com:101#7", ID: "d", Source: "github", Provider: "github", Event: "pull_request", Body: []byte(body),
		})
		if err != nil || event.PullRequest == nil || !event.PullRequest.UpdatedAt.Value.IsZero() {
			t.Errorf("%s: %+v, %v", text, event.PullRequest, err)
		}
	}
}
