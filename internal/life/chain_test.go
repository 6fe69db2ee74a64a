package life_test

import (
	"fmt"
	"slices"
	"strings"

	"pawl/schemas"
)

// chain follows transitions: what each kind ended in last.
type chain struct {
	sides map[string]schemas.Value
	seen  map[schemas.TransitionID]bool
}

func newChain() *chain {
	return &chain{sides: make(map[string]schemas.Value), seen: make(map[schemas.TransitionID]bool)}
}

// the links of a chain: kinds that are two ways of one thing share one.
const (
	ofState  = "state"
	ofDraft  = "draft"
	ofHead   = "head"
	ofBase   = "base"
	ofTitle  = "title"
	ofLabels = "labels"
	ofChecks = "checks"
	ofReview = "reviews"
	ofLinks  = "links"
)

func linkOf(transition schemas.Transition) string {
	switch transition.Kind {
	case schemas.KindOpened, schemas.KindClosed, schemas.KindMerged, schemas.KindReopened:
		return ofState
	case schemas.KindReadyForReview, schemas.KindConvertedToDraft:
		return ofDraft
	case schemas.KindHeadChanged:
		return ofHead
	case schemas.KindBaseChanged:
		return ofBase
	case schemas.KindTitleChanged:
		return ofTitle
	case schemas.KindLabelsChanged:
		return ofLabels
	case schemas.KindChecksChanged:
		return ofChecks
	case schemas.KindReviewsChanged:
		return ofReview
	case schemas.KindLinksChanged:
		return ofLinks
	case schemas.KindCommentCreated, schemas.KindCommentRemoved:
		return "state of " + string(transition.Entity)
	case schemas.KindCommentEdited:
		return "text of " + string(transition.Entity)
	}
	return "unknown"
}

// add takes a transition, and says what is wrong with it.
func (c *chain) add(t schemas.Transition) string {
	if c.seen[t.ID] {
		return fmt.Sprintf("%s %s occurs twice", t.Kind, t.ID)
	}
	c.seen[t.ID] = true
	link := linkOf(t)
	if from := c.sides[link]; !same(t.From, from) {
		return fmt.Sprintf("%s of %s from %v, but the last one ended in %v", t.Kind, t.Entity, t.From, from)
	}
	if same(t.From, t.To) {
		return fmt.Sprintf("%s of %s from %v to the same", t.Kind, t.Entity, t.From)
	}
	if t.Comment == nil && link == ofState && len(c.sides) == 0 {
		for name, side := range sidesOf(t.PullRequest) {
			c.sides[name] = side
		}
	}
	if t.Kind == schemas.KindCommentCreated {
		c.sides["text of "+string(t.Entity)] = schemas.Value{Text: t.Comment.Body}
	}
	c.sides[link] = t.To
	return ""
}

// compare holds the ends of the chain against the row.
func (c *chain) compare(row *schemas.PullRequest) string {
	if row == nil {
		return ""
	}
	for name, side := range sidesOf(row) {
		if !same(c.sides[name], side) {
			return fmt.Sprintf("%s of the row is %v, but the transitions ended in %v", name, side, c.sides[name])
		}
	}
	return ""
}

// sidesOf are the values of a row that transitions tell of.
func sidesOf(row *schemas.PullRequest) map[string]schemas.Value {
	draft := "ready"
	if row.Draft {
		draft = "draft"
	}
	return map[string]schemas.Value{
		ofState:  {Text: string(row.State)},
		ofDraft:  {Text: draft},
		ofHead:   {Text: row.HeadSHA},
		ofBase:   {Text: row.BaseRef},
		ofTitle:  {Text: row.Title},
		ofLabels: {List: row.Labels},
		ofChecks: {Text: string(row.ChecksState)},
		ofReview: {List: opinions(row)},
		ofLinks:  {List: row.Links},
	}
}

// opinions are what a reviews_changed lists: approvals and requests for changes,
// with their commits, and how many threads wait.
func opinions(row *schemas.PullRequest) []string {
	var list []string
	for _, review := range row.Reviews {
		switch review.State {
		case schemas.ReviewApproved, schemas.ReviewChangesRequested:
			list = append(list, strings.TrimSpace(fmt.Sprint(review.Author, " ", review.State, " ", review.HeadSHA)))
		case schemas.ReviewCommented, schemas.ReviewDismissed, schemas.ReviewWithdrawn:
		}
	}
	if row.UnresolvedThreads > 0 {
		list = append(list, fmt.Sprint("unresolved threads ", row.UnresolvedThreads))
	}
	return list
}

func same(a, b schemas.Value) bool { return a.Text == b.Text && slices.Equal(a.List, b.List) }
