package plan

import (
	"encoding/json"
	"maps"
	"slices"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// world is what a plan has seen of other entities than a transition's own: what the
// live system reads from its tables when it decides on mirrors, and on what waits for
// a component.
type world struct {
	pullRequests map[schemas.EntityKey]*schemas.PullRequest
	comments     map[schemas.EntityKey]*schemas.Comment // of issues
	mirrors      map[schemas.EntityKey][]*Mutation      // by what they mirror
}

func newWorld() world {
	return world{
		pullRequests: make(map[schemas.EntityKey]*schemas.PullRequest),
		comments:     make(map[schemas.EntityKey]*schemas.Comment),
		mirrors:      make(map[schemas.EntityKey][]*Mutation),
	}
}

// bridge decides on mirrors, on what was seen until now.
func (p *Plan) bridge(t schemas.Transition) []rules.Decision {
	if !p.rules.Bridges() {
		return nil
	}
	return p.rules.Bridge(t, p.world.around(p.rules.BridgeWants(t)))
}

func (w world) note(t schemas.Transition) {
	if pr := t.PullRequest; pr != nil {
		w.pullRequests[pr.EntityKey] = pr
	}
	if c := t.Comment; c != nil && c.Kind == schemas.CommentIssue {
		w.comments[c.EntityKey] = c
	}
}

func (w world) noteMirror(m *Mutation) {
	if m.Kind != schemas.MutateBridgeComment {
		return
	}
	if mirror, err := mirrorOf(m); err == nil {
		w.mirrors[mirror.Comment] = append(w.mirrors[mirror.Comment], m)
	}
}

func mirrorOf(m *Mutation) (mirror rules.Mirror, err error) {
	return mirror, json.Unmarshal(m.Params, &mirror)
}

func (w world) around(wants rules.BridgeWants) rules.BridgeAround {
	return rules.BridgeAround{PullRequests: w.linked(wants), Issues: w.issues(wants.UnderIssues), Comments: w.earlier(wants)}
}

func (w world) linked(wants rules.BridgeWants) []*schemas.PullRequest {
	var found []*schemas.PullRequest
	for _, key := range slices.Sorted(maps.Keys(w.pullRequests)) {
		pr := w.pullRequests[key]
		named := wants.Issue != "" && slices.Contains(pr.Links, wants.Issue)
		if named || slices.ContainsFunc(w.mirrors[wants.UnderPullRequests], func(m *Mutation) bool { return m.Entity == key }) {
			found = append(found, pr)
		}
	}
	return found
}

func (w world) issues(comment schemas.EntityKey) []string {
	var found []string
	for _, m := range w.mirrors[comment] {
		if mirror, err := mirrorOf(m); err == nil && mirror.Issue != "" {
			found = append(found, mirror.Issue)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (w world) earlier(wants rules.BridgeWants) []schemas.Comment {
	var found []schemas.Comment
	for _, c := range w.comments {
		if c.State == schemas.CommentLive && slices.Contains(wants.Earlier, c.Issue) {
			found = append(found, *c)
		}
	}
	slices.SortFunc(found, schemas.CompareComments)
	return found[max(0, len(found)-wants.Limit):]
}
