package projector

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pawl/schemas"
)

// foldComment folds one comment. It has a clock of its own and moves nothing of
// the pull request's snapshot (I7).
func foldComment(f *folding) Outcome {
	at, future := providerTime(f.event.Comment.UpdatedAt, f.event.ReceivedAt)
	row, known := f.state.Comments[f.event.Comment.Key]
	if !known {
		outcome := firstComment(f, at)
		outcome.FutureTime = future
		return outcome
	}
	next, verdict, reason := nextComment(row, f.event, at)
	if next != row {
		next.Version++
		f.saveComment(next)
		f.comments = append(f.comments, commentTransitions(row, next, f.event)...)
	}
	return Outcome{Verdict: verdict, Reason: reason, FutureTime: future}
}

// firstComment makes the row. A comment seen first as deleted is a tombstone,
// and is never announced.
func firstComment(f *folding, at time.Time) Outcome {
	row := newComment(f.event, at)
	outcome := Outcome{Verdict: schemas.Applied}
	switch {
	case row.State == schemas.CommentRemoved:
		outcome.Reason = "seen first when it was deleted"
	case f.state.PullRequest == nil:
		outcome.Reason = "waits for its pull request to be seen"
	}
	f.saveComment(row)
	return outcome
}

// newComment is the row of a comment that was not known. A removed one is never
// announced: nobody hears of it.
func newComment(event schemas.Event, at time.Time) schemas.Comment {
	snapshot := event.Comment
	row := schemas.Comment{
		EntityKey:         snapshot.Key,
		Kind:              cmp.Or(snapshot.Kind, schemas.CommentConversation),
		Parent:            snapshot.Parent,
		Thread:            snapshot.Thread,
		Issue:             snapshot.Issue,
		State:             schemas.CommentLive,
		Author:            snapshot.Author.Login,
		AuthorIsBot:       snapshot.Author.IsBot,
		Body:              snapshot.Body.Value,
		URL:               snapshot.URL,
		CreatedAt:         timeOf(snapshot.CreatedAt, event),
		ProviderUpdatedAt: textTime(snapshot, at),
		Version:           1,
	}
	if snapshot.Change == schemas.CommentDeleted {
		row.State, row.Announced, row.RemovedAt = schemas.CommentRemoved, true, timeOf(snapshot.RemovedAt, event)
	}
	return row
}

// saveComment keeps the row, and what the pull request counts of it.
func (f *folding) saveComment(row schemas.Comment) {
	f.state.Comments = with(f.state.Comments, row.EntityKey, row)
	f.state.Tally = with(f.state.Tally, row.EntityKey, Counted{
		Kind: row.Kind, Live: row.State == schemas.CommentLive, CreatedAt: row.CreatedAt, RemovedAt: row.RemovedAt,
	})
	f.noteThread(row)
}

// nextComment folds a payload into a known comment. Removed is final: deletes
// keep the old time at the provider, so no time can order what comes after one.
// What the comment said is folded by its own clock, whichever comes first.
func nextComment(row schemas.Comment, event schemas.Event, at time.Time) (schemas.Comment, schemas.Verdict, string) {
	snapshot := event.Comment
	next, verdict, reason := nextText(row, event, textTime(snapshot, at))
	switch {
	case row.State == schemas.CommentRemoved && snapshot.Change == schemas.CommentDeleted:
		return row, schemas.Unchanged, "the comment is removed already"
	case row.State == schemas.CommentRemoved:
		return next, schemas.Stale, "the comment is removed, and nothing brings it back"
	case snapshot.Change == schemas.CommentDeleted:
		next.State, next.RemovedAt = schemas.CommentRemoved, timeOf(snapshot.RemovedAt, event)
		return next, schemas.Applied, ""
	}
	return next, verdict, reason
}

// textTime is the time of the text. A payload that says nothing of the text, as
// removals do (Bitbucket Cloud), has its own time alone.
func textTime(snapshot *schemas.CommentSnapshot, at time.Time) time.Time {
	if !snapshot.Body.Known {
		return time.Time{}
	}
	return at
}

// nextText folds what a payload says of a comment's text, and what a tombstone
// that came before the comment itself could not know.
func nextText(row schemas.Comment, event schemas.Event, at time.Time) (schemas.Comment, schemas.Verdict, string) {
	next, snapshot := row, event.Comment
	next.Author, next.AuthorIsBot = cmp.Or(row.Author, snapshot.Author.Login), row.AuthorIsBot || snapshot.Author.IsBot
	next.URL = cmp.Or(row.URL, snapshot.URL)
	next.CreatedAt = keepTime(row.CreatedAt, timeOf(snapshot.CreatedAt, event))
	body := snapshot.Body.Or(row.Body)
	order := compareTimes(at, row.ProviderUpdatedAt)
	switch {
	case snapshot.Change == schemas.CommentDeleted && !snapshot.Body.Known:
		return next, schemas.Unchanged, "" // the clock is of the text
	case order < 0:
		return next, schemas.Stale, "the comment was edited since"
	case body == row.Body && (at.IsZero() || at.Equal(row.ProviderUpdatedAt)):
		return next, schemas.Unchanged, "the row says the same already"
	case order == 0 && snapshot.Change == schemas.CommentCreated && saysText(row):
		return next, schemas.Unchanged, "of the same second as an edit, and a creation is the older of the two"
	}
	if order == 0 && !at.IsZero() && row.Version > 1 && row.State == schemas.CommentLive {
		next.NeedsRead = true
	}
	next.Body = body
	next.ProviderUpdatedAt = latest(at, row.ProviderUpdatedAt)
	return next, schemas.Applied, ""
}

// saysText reports whether a payload told what the comment says, be it nothing.
func saysText(row schemas.Comment) bool { return row.Body != "" || !row.ProviderUpdatedAt.IsZero() }

// commentTransitions returns the difference between two rows of a comment. A
// comment that was never announced yields none: nobody knows it yet.
func commentTransitions(before, after schemas.Comment, event schemas.Event) []schemas.Transition {
	switch {
	case !before.Announced, before.State == schemas.CommentRemoved:
		return nil
	case after.State != before.State:
		return []schemas.Transition{commentTransition(schemas.KindCommentRemoved,
			text(string(before.State)), text(string(after.State)), after, event)}
	case after.Body != before.Body:
		return []schemas.Transition{commentTransition(schemas.KindCommentEdited,
			text(before.Body), text(after.Body), after, event)}
	}
	return nil
}

func commentTransition(kind schemas.Kind, from, to schemas.Value, comment schemas.Comment, event schemas.Event) schemas.Transition {
	transition := schemas.NewTransition(comment.EntityKey, kind, from, to, causeOf(event))
	transition.Comment = &comment
	return transition
}

// announceComments yields comment_created for each live comment that has not
// been announced, oldest first. Comments can come minutes before the pull
// request they stand under; a rule sees them once it can see that too.
func (f *folding) announceComments() {
	for _, comment := range inOrder(f.state.Comments) {
		if comment.Announced || comment.State != schemas.CommentLive {
			continue
		}
		comment.Announced = true
		f.state.Comments = with(f.state.Comments, comment.EntityKey, comment)
		f.comments = append(f.comments, createdTransition(comment, f.event))
	}
}

func createdTransition(comment schemas.Comment, event schemas.Event) schemas.Transition {
	return commentTransition(schemas.KindCommentCreated, schemas.Value{}, text(string(comment.State)), comment, event)
}

func inOrder(comments map[schemas.EntityKey]schemas.Comment) []schemas.Comment {
	return slices.SortedFunc(maps.Values(comments), schemas.CompareComments)
}
