package projector

import (
	"fmt"
	"slices"
	"strings"

	"pawl/schemas"
)

// detectors lists the transitions of a pull request in the order in which one
// record yields them. Each is a difference between two rows; what the action
// says makes none (I8).
var detectors = []func(before, after *schemas.PullRequest, event schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool){
	stateTransition,
	draftTransition,
	headTransition,
	baseTransition,
	titleTransition,
	labelsTransition,
	checksTransition,
	reviewsTransition,
	linksTransition,
}

// transitions returns the differences between two folded rows.
func transitions(before, after *schemas.PullRequest, event schemas.Event) []schemas.Transition {
	var found []schemas.Transition
	for _, detect := range detectors {
		kind, from, to, changed := detect(before, after, event)
		if !changed {
			continue
		}
		transition := schemas.NewTransition(after.EntityKey, kind, from, to, causeOf(event))
		transition.PullRequest = after
		found = append(found, transition)
	}
	return found
}

// firstTransition is the one transition of a pull request seen for the first
// time: opened, closed or merged, by its state.
func firstTransition(row *schemas.PullRequest, event schemas.Event) schemas.Transition {
	kind := schemas.KindOpened
	switch row.State {
	case schemas.Open:
	case schemas.Closed:
		kind = schemas.KindClosed
	case schemas.Merged:
		kind = schemas.KindMerged
	}
	transition := schemas.NewTransition(row.EntityKey, kind, schemas.Value{}, text(string(row.State)), causeOf(event))
	transition.PullRequest = row
	return transition
}

func text(s string) schemas.Value { return schemas.Value{Text: s} }

func stateTransition(before, after *schemas.PullRequest, _ schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	kind := schemas.KindReopened
	switch after.State {
	case schemas.Open:
	case schemas.Closed:
		kind = schemas.KindClosed
	case schemas.Merged:
		kind = schemas.KindMerged
	}
	return kind, text(string(before.State)), text(string(after.State)), before.State != after.State
}

func draftTransition(before, after *schemas.PullRequest, _ schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	if after.Draft {
		return schemas.KindConvertedToDraft, text("ready"), text("draft"), !before.Draft
	}
	return schemas.KindReadyForReview, text("draft"), text("ready"), before.Draft
}

// headTransition: learning a head that no payload had stated is no change,
// unless the action is the one that moves heads. The same holds for base and
// title.
func headTransition(before, after *schemas.PullRequest, event schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	changed := moved(before.HeadSHA, after.HeadSHA, changedBy(event, "synchronize"))
	return schemas.KindHeadChanged, text(before.HeadSHA), text(after.HeadSHA), changed
}

func baseTransition(before, after *schemas.PullRequest, event schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	changed := moved(before.BaseRef, after.BaseRef, editedBy(event, "base"))
	return schemas.KindBaseChanged, text(before.BaseRef), text(after.BaseRef), changed
}

func titleTransition(before, after *schemas.PullRequest, event schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	changed := moved(before.Title, after.Title, editedBy(event, "title"))
	return schemas.KindTitleChanged, text(before.Title), text(after.Title), changed
}

// changedBy reports whether the event is a snapshot with that change.
func changedBy(event schemas.Event, change string) bool {
	return event.PullRequest != nil && event.PullRequest.Change == change
}

// editedBy reports whether the event is a snapshot that edited the field.
func editedBy(event schemas.Event, field string) bool {
	return event.PullRequest != nil && slices.Contains(event.PullRequest.Edited, field)
}

func moved(before, after string, stated bool) bool {
	return before != after && after != "" && (before != "" || stated)
}

func labelsTransition(before, after *schemas.PullRequest, _ schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	from, to := schemas.Value{List: before.Labels}, schemas.Value{List: after.Labels}
	return schemas.KindLabelsChanged, from, to, !slices.Equal(before.Labels, after.Labels)
}

func checksTransition(before, after *schemas.PullRequest, _ schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	return schemas.KindChecksChanged, text(string(before.ChecksState)), text(string(after.ChecksState)), before.ChecksState != after.ChecksState
}

// reviewsTransition compares what each person says, and of which commit, and how
// many threads wait for an answer.
func reviewsTransition(before, after *schemas.PullRequest, _ schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	from, to := opinions(before), opinions(after)
	return schemas.KindReviewsChanged, schemas.Value{List: from}, schemas.Value{List: to}, !slices.Equal(from, to)
}

// opinions lists who approves and who requests changes, each with the commit
// where it is known: "ann approved 6dcb09b". Unresolved threads come last.
func opinions(row *schemas.PullRequest) []string {
	list := []string{}
	for _, review := range row.Reviews {
		if review.State != schemas.ReviewApproved && review.State != schemas.ReviewChangesRequested {
			continue
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", review.Author, review.State, review.HeadSHA)))
	}
	if row.UnresolvedThreads > 0 {
		list = append(list, fmt.Sprintf("unresolved threads %d", row.UnresolvedThreads))
	}
	return list
}

func linksTransition(before, after *schemas.PullRequest, _ schemas.Event) (schemas.Kind, schemas.Value, schemas.Value, bool) {
	from, to := schemas.Value{List: before.Links}, schemas.Value{List: after.Links}
	return schemas.KindLinksChanged, from, to, !slices.Equal(before.Links, after.Links)
}
