package life

import (
	"fmt"
	"time"

	"pawl/internal/links"
	"pawl/internal/provider"
	"pawl/projector"
	"pawl/schemas"
)

// Arrival is a delivery that reaches a source.
type Arrival struct {
	Delivery
	Source string
}

// Folded is what became of one arrival.
type Folded struct {
	Arrival Arrival
	projector.Result
	// Before and After are the pull request's row around it; nil is none.
	Before, After *schemas.PullRequest
}

// World is what a run of arrivals came to.
type World struct {
	Held   *projector.Held
	Folded []Folded

	life *Life
}

// received is when the first arrival comes: after the whole life, and less than a
// day after it begins.
func received() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }

// NewWorld returns a world in which nothing has arrived yet.
func (l *Life) NewWorld() *World {
	world := &World{Held: projector.NewHeld(), life: l}
	world.Held.Links = findLinks
	return world
}

// Row is the pull request's row; nil is none.
func (w *World) Row() *schemas.PullRequest { return w.Held.States[w.life.Entity].PullRequest }

// Take takes arrivals from the edge to the rows, through what runs in production:
// Seal, Decode and Held.
func (w *World) Take(arrivals ...Arrival) error {
	reader, ok := provider.ByName(w.life.Provider)
	if !ok {
		return fmt.Errorf("there is no provider %s", w.life.Provider)
	}
	for _, arrival := range arrivals {
		record, err := reader.Seal(provider.Delivery{
			Header: arrival.Header, Raw: arrival.Body, ContentType: schemas.ContentTypeJSON, Instance: w.life.Instance,
			Source: arrival.Source, ReceivedAt: received().Add(time.Duration(len(w.Folded)) * time.Second),
		})
		if err != nil {
			return fmt.Errorf("seal %s: %w", arrival.Name, err)
		}
		decoded := projector.Decoded{Record: record, Hash: projector.HashBody(record.Body)}
		decoded.Event, decoded.Err = reader.Decode(record)
		folded := Folded{Arrival: arrival, Before: w.Row()}
		folded.Result = w.Held.Fold(decoded)
		folded.After = w.Row()
		w.Folded = append(w.Folded, folded)
	}
	return nil
}

func findLinks(source, provider string, row *schemas.PullRequest) []schemas.Link {
	return links.Finder{}.Find(links.Text{
		Source: source, Provider: provider, Instance: row.Instance, Repository: row.Repository,
		Title: row.Title, Body: row.Body, Branch: row.HeadRef,
	})
}

// Rows are all rows of a world.
type Rows struct {
	PullRequests map[schemas.EntityKey]*schemas.PullRequest
	Comments     map[schemas.EntityKey]schemas.Comment
	Reviews      map[schemas.EntityKey]map[string]schemas.Review
	Threads      map[schemas.EntityKey]map[string]schemas.Thread
	Links        map[schemas.EntityKey][]schemas.Link
	Commits      map[schemas.EntityKey]schemas.Commit
	Checks       map[schemas.EntityKey]map[schemas.CheckID]schemas.Check
	Repositories map[schemas.EntityKey]*schemas.Repository
}

// Rows returns the rows as they are.
func (w *World) Rows() Rows {
	rows := Rows{
		PullRequests: make(map[schemas.EntityKey]*schemas.PullRequest),
		Comments:     make(map[schemas.EntityKey]schemas.Comment),
		Reviews:      make(map[schemas.EntityKey]map[string]schemas.Review),
		Threads:      make(map[schemas.EntityKey]map[string]schemas.Thread),
		Links:        make(map[schemas.EntityKey][]schemas.Link),
		Commits:      make(map[schemas.EntityKey]schemas.Commit),
		Checks:       make(map[schemas.EntityKey]map[schemas.CheckID]schemas.Check),
		Repositories: w.Held.Repositories,
	}
	for key, state := range w.Held.States {
		rows.PullRequests[key], rows.Links[key] = state.PullRequest, state.Links
		rows.Reviews[key], rows.Threads[key] = state.Reviews, state.Threads
		for comment, row := range state.Comments {
			rows.Comments[comment] = row
		}
	}
	for key, state := range w.Held.Commits {
		rows.Checks[key] = state.Checks
		if state.Commit != nil {
			rows.Commits[key] = *state.Commit
		}
	}
	return rows
}
