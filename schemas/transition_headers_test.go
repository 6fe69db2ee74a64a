package schemas_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

func TestTransition_Headers(t *testing.T) {
	t.Parallel()
	const pr, comment = schemas.EntityKey("github.com:101#7"), schemas.EntityKey("github.com:comment/9")
	cause := schemas.Cause{
		Source: "github", DeliveryID: "d-1", ReceivedAt: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.FixedZone("", 3600)),
		TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}
	full := schemas.NewTransition(pr, schemas.KindMerged, schemas.Value{Text: "open"}, schemas.Value{Text: "merged"}, cause)
	full.PullRequest = &schemas.PullRequest{EntityKey: pr, Repository: "acme/api", Number: 7}
	bare := schemas.NewTransition(comment, schemas.KindCommentCreated, schemas.Value{}, schemas.Value{}, schemas.Cause{})
	bare.Comment = &schemas.Comment{EntityKey: comment, Parent: pr}

	tests := []struct {
		name       string
		transition schemas.Transition
		want       []schemas.Header
	}{
		{"a pull request", full, []schemas.Header{
			{Name: "ce_specversion", Value: "1.0"},
			{Name: "ce_id", Value: string(full.ID)},
			{Name: "ce_source", Value: "/pawl/projector"},
			{Name: "ce_type", Value: "pawl.transition.merged"},
			{Name: "ce_subject", Value: "acme/api#7"},
			{Name: "ce_time", Value: "2026-01-02T02:04:05.000006Z"},
			{Name: "ce_partitionkey", Value: "github.com:101#7"},
			{Name: "content-type", Value: "application/json"},
			{Name: "traceparent", Value: cause.TraceParent},
		}},
		{"a comment whose pull request was never seen", bare, []schemas.Header{
			{Name: "ce_specversion", Value: "1.0"},
			{Name: "ce_id", Value: string(bare.ID)},
			{Name: "ce_source", Value: "/pawl/projector"},
			{Name: "ce_type", Value: "pawl.transition.comment_created"},
			{Name: "ce_subject", Value: "github.com:comment/9"},
			{Name: "ce_partitionkey", Value: "github.com:101#7"},
			{Name: "content-type", Value: "application/json"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.transition.Headers(), tt.want); diff != "" {
				t.Errorf("headers (-got +want):\n%s", diff)
			}
		})
	}
}
