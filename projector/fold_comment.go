package projector

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pawl/schemas"
)

// foldComment folds one comment. It has a clock of its own and moves nothing of
// the pull request it stands under (I7).
func foldComment(held State, event schemas.Event) (State, Outcome) {
	at, future := providerTime(event.Comment.UpdatedAt, event.ReceivedAt)
	row, known := held.Comments[event.Comment.Key]
	if !known {
		return firstComment(held, event, at, future)
	}
	next, verdict, reason := nextComment(row, event, at)
	outcome := Outcome{Verdict: verdict, Reason: reason, FutureTime: future}
	if verdict != schemas.Applied {
		return held, outcome
	}
	next.Version++
	after := held.withComment(next)
	outcome.Transitions = commentTransitions(row, next, after.PullRequest, event)
	return after, outcome
}

// firstComment makes the row. A comment seen first as deleted is a tombstone,
// and is never announced.
func firstComment(held State, event schemas.Event, at time.Time, future bool) (State, Outcome) {
	snapshot := event.Comment
	row := schemas.Comment{
		EntityKey:         snapshot.Key,
		Parent:            snapshot.Parent,
		State:             schemas.CommentLive,
		Author:            snapshot.Author.Login,
		AuthorIsBot:       snapshot.Author.IsBot,
		Body:              snapshot.Body.Value,
		URL:               snapshot.URL,
		CreatedAt:         snapshot.CreatedAt.Value,
		ProviderUpdatedAt: at,
		Version:           1,
	}
	outcome := Outcome{Verdict: schemas.Applied, FutureTime: future}
	if snapshot.Change == schemas.CommentDeleted {
		row.State, row.Announced = schemas.CommentRemoved, true
		outcome.Reason = "seen first when it was deleted"
		return held.withComment(row), outcome
	}
	after := held.withComment(row)
	if held.PullRequest == nil {
		outcome.Reason = "waits for its pull request to be seen"
		return after, outcome
	}
	after, outcome.Transitions = announceComments(after, event)
	return after, outcome
}

// nextComment folds a payload into a known comment. Removed is final: deletes
// keep the old time at the provider, so no time can order what comes after one.
func nextComment(row schemas.Comment, event schemas.Event, at time.Time) (schemas.Comment, schemas.Verdict, string) {
	snapshot := event.Comment
	body := snapshot.Body.Or(row.Body)
	if row.State == schemas.CommentRemoved {
		if snapshot.Change == schemas.CommentDeleted {
			return row, schemas.Unchanged, "the comment is removed already"
		}
		return row, schemas.Stale, "the comment is removed, and nothing brings it back"
	}
	if snapshot.Change == schemas.CommentDeleted {
		row.State = schemas.CommentRemoved
		return row, schemas.Applied, ""
	}
	order := 0
	if !at.IsZero() && !row.ProviderUpdatedAt.IsZero() {
		order = at.Compare(row.ProviderUpdatedAt)
	}
	switch {
	case order < 0:
		return row, schemas.Stale, "the comment was edited since"
	case body == row.Body && (at.IsZero() || at.Equal(row.ProviderUpdatedAt)):
		return row, schemas.Unchanged, "the row says the same already"
	case order == 0 && snapshot.Change == schemas.CommentCreated:
		return row, schemas.Unchanged, "of the same second as an edit, and a creation is the older of the two"
	}
	if order == 0 && !at.IsZero() && row.Version > 1 {
		row.NeedsRead = true
	}
	row.Body = body
	if !at.IsZero() {
		row.ProviderUpdatedAt = at
	}
	return row, schemas.Applied, ""
}

// commentTransitions returns the difference between two rows of a comment. A
// comment that was never announced yields none: nobody knows it yet.
func commentTransitions(before, after schemas.Comment, pr *schemas.PullRequest, event schemas.Event) []schemas.Transition {
	if !before.Announced || pr == nil {
		return nil
	}
	switch {
	case after.State != before.State:
		return []schemas.Transition{commentTransition(schemas.KindCommentRemoved,
			text(string(before.State)), text(string(after.State)), after, pr, event)}
	case after.Body != before.Body:
		return []schemas.Transition{commentTransition(schemas.KindCommentEdited,
			text(before.Body), text(after.Body), after, pr, event)}
	}
	return nil
}

func commentTransition(kind schemas.Kind, from, to schemas.Value, comment schemas.Comment, pr *schemas.PullRequest, event schemas.Event) schemas.Transition {
	transition := schemas.NewTransition(comment.EntityKey, kind, from, to, causeOf(event))
	transition.PullRequest = pr
	transition.Comment = &comment
	return transition
}

// announceComments yields comment_created for each live comment that has not
// been announced, oldest first. Comments can come minutes before the pull
// request they stand under; a rule sees them once it can see that too.
func announceComments(held State, event schemas.Event) (State, []schemas.Transition) {
	var found []schemas.Transition
	after := held
	for _, comment := range inOrder(held.Comments) {
		if comment.Announced || comment.State != schemas.CommentLive {
			continue
		}
		comment.Announced = true
		after = after.withComment(comment)
		found = append(found, commentTransition(schemas.KindCommentCreated,
			schemas.Value{}, text(string(comment.State)), comment, held.PullRequest, event))
	}
	return after, found
}

func inOrder(comments map[schemas.EntityKey]schemas.Comment) []schemas.Comment {
	return slices.SortedFunc(maps.Values(comments), func(a, b schemas.Comment) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.EntityKey, b.EntityKey))
	})
}
