package github_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/schemas"
)

func TestDecode_Repository(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "repository", `{"action":"renamed","changes":{"repository":{"name":{"from":"old"}}},
		"repository":{"id":101,"full_name":"acme/api","private":true,"updated_at":"2026-01-01T10:00:00Z"},"sender":{"login":"ann"}}`)
	want := schemas.Event{
		Entity: "github.com:101", Source: "github", DeliveryID: "d-1", Provider: "github", Name: "repository",
		Action: "renamed", Sender: schemas.Actor{Login: "ann"},
		Repository: &schemas.RepositorySnapshot{
			Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Change: schemas.RepositoryNamed,
			Private: schemas.Say(true), UpdatedAt: schemas.Say(at("2026-01-01T10:00:00Z")),
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Decode() (-got +want):\n%s", diff)
	}
}

func TestDecode_RepositoryChanges(t *testing.T) {
	t.Parallel()
	tests := map[string]schemas.RepositoryChange{
		"created": schemas.RepositoryNamed, "renamed": schemas.RepositoryNamed, "transferred": schemas.RepositoryNamed,
		"edited": schemas.RepositoryNamed, "publicized": schemas.RepositoryNamed, "privatized": schemas.RepositoryNamed,
		"archived": schemas.RepositoryNamed, "unarchived": schemas.RepositoryNamed, "deleted": schemas.RepositoryDeleted,
	}
	for action, change := range tests {
		got := decodeEvent(t, "repository", `{"action":"`+action+`","repository":{"id":101,"full_name":"acme/api"}}`)
		want := &schemas.RepositorySnapshot{Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Change: change}
		if diff := cmp.Diff(got.Repository, want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", action, diff)
		}
	}
}

func TestDecode_RepositoryDeletedNeedsNoName(t *testing.T) {
	t.Parallel()
	got := decodeEvent(t, "repository", `{"action":"deleted","repository":{"id":101}}`)
	want := &schemas.RepositorySnapshot{Instance: "github.com", RepositoryID: "101", Change: schemas.RepositoryDeleted}
	if diff := cmp.Diff(got.Repository, want); diff != "" {
		t.Errorf("repository (-got +want):\n%s", diff)
	}
}
