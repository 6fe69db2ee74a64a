package statuspage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pawl/internal/provider/statuspage"
	"pawl/internal/provider/webhook"
)

// TestDecode_RealPayloads: those at hand are sealed and decoded without an error,
// and the address that unsubscribes is in no record.
func TestDecode_RealPayloads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../shared/payloads/statuspage/*/*.json")
	if err != nil || len(files) == 0 {
		t.Skip("no real payloads beside the project")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		record, err := statuspage.New().Seal(webhook.Delivery{Raw: body, Source: "status", ContentType: string(webhook.JSON)})
		if err != nil {
			t.Errorf("%s: seal: %v", file, err)
			continue
		}
		if bytes.Contains(record.Body, []byte("unsubscribe")) {
			t.Errorf("%s: the record can unsubscribe", file)
		}
		event, err := statuspage.New().Decode(record)
		if err != nil || event.Ignored != "" || len(event.Components) == 0 {
			t.Errorf("%s: %+v, %v", file, event, err)
		}
	}
}
