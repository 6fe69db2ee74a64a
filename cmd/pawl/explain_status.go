package main

import (
	"fmt"
	"strings"
	"time"

	"pawl/schemas"
)

// otherHeading names what is no pull request, commit or repository.
func (e *explanation) otherHeading() (string, bool) {
	if component, ok := read[schemas.StatusComponent](e.Component); ok {
		return marked(fmt.Sprintf("%s  %s  %s", component.Name, component.Status, e.Key), component.NeedsRead), true
	}
	if incident, ok := read[schemas.StatusIncident](e.Incident); ok {
		return marked(fmt.Sprintf("%s  %s  %s", incident.Name, incident.Status, e.Key), incident.NeedsRead), true
	}
	if comment, ok := read[schemas.Comment](e.Comment); ok {
		return marked(fmt.Sprintf("comment of %s  %s  %s", comment.Parent, comment.State, e.Key), comment.NeedsRead), true
	}
	return "", false
}

func marked(text string, needsRead bool) string {
	if needsRead {
		return text + "  needs a read"
	}
	return text
}

// otherFacts say how such a row stands.
func (e *explanation) otherFacts() []fact {
	if component, ok := read[schemas.StatusComponent](e.Component); ok {
		return []fact{{"page", component.PageID}, {"since", instantText(component.ProviderUpdatedAt)}}
	}
	if incident, ok := read[schemas.StatusIncident](e.Incident); ok {
		return []fact{
			{"page", incident.PageID},
			{"impact", incident.Impact},
			{"components", strings.Join(incident.Components, ", ")},
			{"changed", instantText(incident.ProviderUpdatedAt)},
		}
	}
	if comment, ok := read[schemas.Comment](e.Comment); ok {
		return []fact{{"author", comment.Author}, {"issue", comment.Issue}, {"address", comment.URL}, {"changed", instantText(comment.ProviderUpdatedAt)}}
	}
	return nil
}

func instantText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
