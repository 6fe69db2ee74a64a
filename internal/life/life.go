package life

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"pawl/schemas"
)

// Delivery is one webhook as the forge sends it.
type Delivery struct {
	Name   string // for people: its place, and what happened
	Header http.Header
	Body   []byte
	// IDHeader is the header that holds the delivery's id.
	IDHeader string
	// Snapshot: it carries the whole pull request. Kept: it carries a check or a
	// review too, which no later delivery repeats.
	Snapshot, Kept bool
}

// WithID returns the delivery under another id, as another webhook sends it.
func (d Delivery) WithID(id string) Delivery {
	d.Header = d.Header.Clone()
	d.Header.Set(d.IDHeader, id)
	return d
}

// Life is a pull request's life at one forge.
type Life struct {
	Provider, Instance string
	// Entity is the key of the pull request.
	Entity schemas.EntityKey

	model *model
	steps []step
}

// Forge makes lives at one provider.
type Forge struct {
	Name string
	// Born opens a pull request.
	Born func(Pick) *Life
}

// Forges returns all of them.
func Forges() []Forge {
	return []Forge{
		{"github", GitHub},
		{"gitlab", GitLab},
		{"gitea", Gitea},
		{"cloud", Cloud},
		{"datacenter", DataCenter},
	}
}

func born(f forge, m *model) *Life {
	m.open(f)
	return &Life{model: m, steps: f.steps()}
}

// Groups are the kinds of what can happen at the forge.
func (l *Life) Groups() []string {
	var groups []string
	for _, s := range l.steps {
		if !slices.Contains(groups, s.group) {
			groups = append(groups, s.group)
		}
	}
	return groups
}

// Steps are the names of what can happen of a group.
func (l *Life) Steps(group string) []string {
	var names []string
	for _, s := range l.steps {
		if s.group == group {
			names = append(names, s.name)
		}
	}
	return names
}

// Do lets time go by, and then that step happen. It reports whether it could.
func (l *Life) Do(name string, pick Pick) bool {
	place := slices.IndexFunc(l.steps, func(s step) bool { return s.name == name })
	if place < 0 {
		return false
	}
	l.model.pass(pick)
	return l.steps[place].do(pick)
}

// Deliveries are those of the life so far, in the order in which they were sent.
func (l *Life) Deliveries() []Delivery { return slices.Clone(l.model.deliveries) }

// LastSnapshot is the place of the newest delivery that carries the whole pull
// request.
func (l *Life) LastSnapshot() int { return l.model.last }

// Unstated are the fields of the row that not every snapshot states.
func (l *Life) Unstated() []string { return l.model.forge.unstated() }

// Truth is the row of the pull request as it must be in the end.
func (l *Life) Truth() schemas.PullRequest {
	row := l.model.truth()
	row.EntityKey, row.Instance, row.Number = l.Entity, l.Instance, Number
	return row
}

// obj is a JSON object.
type obj = map[string]any

func encode(body obj) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("life: %v", err)) // unreachable unless a payload holds what JSON cannot
	}
	return text
}

// with returns an object with more members.
func with(body, more obj) obj {
	for name, value := range more {
		body[name] = value
	}
	return body
}

// orNull writes a text, and null where there is none.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// timeOrNull writes a time in a layout, and null where it did not happen.
func timeOrNull(at time.Time, layout string) any {
	if at.IsZero() {
		return nil
	}
	return at.Format(layout)
}
