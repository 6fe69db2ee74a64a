package schemas

import "time"

// RepositoryState is the state of a repository.
type RepositoryState string

// The states of a repository. Deleted is final: one that is made again under
// the same name has another id.
const (
	RepositoryLive RepositoryState = "live"
	RepositoryGone RepositoryState = "deleted"
)

// Repository is the folded state of a repository: the row of pawl.repository.
type Repository struct {
	EntityKey    EntityKey       `json:"entity_key"`
	Instance     string          `json:"instance"`
	RepositoryID string          `json:"repository_id"`
	Repository   string          `json:"repository"` // full name, the newest one
	State        RepositoryState `json:"state"`
	Private      bool            `json:"private"`
	// ProviderUpdatedAt is the repository's own watermark.
	ProviderUpdatedAt time.Time `json:"provider_updated_at,omitzero"`
	Version           int64     `json:"version"`
}
