package schemas_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"pawl/schemas"
)

// The functions below draw values as the stages make them.

func drawText(t *rapid.T, name string) string {
	return rapid.String().Draw(t, name)
}

func drawNames(t *rapid.T, name string) []string {
	names := rapid.SliceOfNDistinct(rapid.StringN(1, 20, 60), 0, 4, rapid.ID[string]).Draw(t, name)
	slices.Sort(names)
	return names
}

func drawTime(t *rapid.T, name string) time.Time {
	if rapid.IntRange(0, 3).Draw(t, name+" is unknown") == 0 {
		return time.Time{}
	}
	seconds := rapid.Int64Range(0, 4102444800).Draw(t, name)
	nanos := rapid.SampledFrom([]int64{0, 0, 123000000, 123456789}).Draw(t, name+" nanoseconds")
	return time.Unix(seconds, nanos).UTC()
}

func drawKey(t *rapid.T) schemas.EntityKey {
	return schemas.PullRequestKey("github.com", rapid.StringMatching(`[1-9][0-9]{0,9}`).Draw(t, "repository id"),
		rapid.Int64Range(1, 1e9).Draw(t, "number"))
}

func drawRecord(t *rapid.T) schemas.Record {
	return schemas.Record{
		Key:             drawKey(t),
		ID:              schemas.DeliveryID(rapid.StringN(1, 60, 255).Draw(t, "delivery id")),
		Source:          rapid.StringMatching(`[a-z][a-z0-9-]{0,20}`).Draw(t, "source"),
		Provider:        rapid.SampledFrom([]string{"github", "gitlab"}).Draw(t, "provider"),
		Event:           rapid.StringMatching(`[a-z_]{1,20}`).Draw(t, "event"),
		Action:          rapid.StringMatching(`[a-z_]{0,20}`).Draw(t, "action"),
		Subject:         drawText(t, "subject"),
		ReceivedAt:      drawTime(t, "received at"),
		ContentType:     rapid.SampledFrom([]string{"", schemas.ContentTypeJSON}).Draw(t, "content type"),
		TraceParent:     rapid.SampledFrom([]string{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}).Draw(t, "trace"),
		ProviderHeaders: []schemas.Header{{Name: "X-GitHub-Event", Value: drawText(t, "event header")}},
		Body:            rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
	}
}

// drawValue draws a side of a transition of that kind.
func drawValue(t *rapid.T, name string, kind schemas.Kind) schemas.Value {
	if kind.HasLists() {
		return schemas.Value{List: drawNames(t, name)}
	}
	return schemas.Value{Text: drawText(t, name)}
}

func drawCause(t *rapid.T) schemas.Cause {
	return schemas.Cause{
		Source:      rapid.StringMatching(`[a-z][a-z0-9-]{0,10}`).Draw(t, "source"),
		DeliveryID:  schemas.DeliveryID(rapid.StringN(1, 40, 255).Draw(t, "delivery id")),
		Provider:    "github",
		Event:       "pull_request",
		Action:      rapid.SampledFrom([]string{"", "opened", "labeled"}).Draw(t, "action"),
		Sender:      schemas.Actor{Login: drawText(t, "sender"), IsBot: rapid.Bool().Draw(t, "sender is a bot")},
		ReceivedAt:  drawTime(t, "received at"),
		TraceParent: rapid.SampledFrom([]string{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}).Draw(t, "trace"),
	}
}

func drawPullRequest(t *rapid.T, key schemas.EntityKey) *schemas.PullRequest {
	parsed, err := schemas.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	needsRead := rapid.Bool().Draw(t, "needs read")
	reason := ""
	if needsRead {
		reason = "two snapshots of one second: closed and open"
	}
	count := func(name string) int64 { return rapid.Int64Range(0, 1e9).Draw(t, name) }
	return &schemas.PullRequest{
		EntityKey: key, Instance: parsed.Instance, RepositoryID: parsed.Repository,
		Repository: drawText(t, "repository"), Number: parsed.Number,
		Title: drawText(t, "title"), Body: drawText(t, "body"), Author: drawText(t, "author"),
		AuthorIsBot:        rapid.Bool().Draw(t, "author is a bot"),
		State:              rapid.SampledFrom([]schemas.State{schemas.Open, schemas.Closed, schemas.Merged}).Draw(t, "state"),
		Draft:              rapid.Bool().Draw(t, "draft"),
		HeadSHA:            drawText(t, "head sha"),
		BaseRef:            drawText(t, "base ref"),
		Labels:             drawNames(t, "labels"),
		RequestedReviewers: drawNames(t, "requested reviewers"),
		Assignees:          drawNames(t, "assignees"),
		HeadCommit:         schemas.CommitKey(parsed.Instance, parsed.Repository, rapid.StringMatching(`[0-9a-f]{7,40}`).Draw(t, "head commit")),
		Queued:             rapid.Bool().Draw(t, "queued"), DequeuedReason: drawText(t, "dequeued reason"),
		Checks: drawChecks(t), Reviews: drawReviews(t), Links: drawNames(t, "links"),
		ApprovalsOfHead: count("approvals of head"), UnresolvedThreads: count("unresolved threads"),
		ChecksState: rapid.SampledFrom([]schemas.ChecksState{
			schemas.ChecksNone, schemas.ChecksPending, schemas.ChecksSuccess, schemas.ChecksFailure,
		}).Draw(t, "checks"),
		Approvals: count("approvals"), ChangesRequested: count("changes requested"), Comments: count("comments"),
		ReviewComments: count("review comments"), Commits: count("commits"),
		Additions: count("additions"), Deletions: count("deletions"), ChangedFiles: count("changed files"),
		CreatedAt: drawTime(t, "created at"), ClosedAt: drawTime(t, "closed at"), MergedAt: drawTime(t, "merged at"),
		ProviderUpdatedAt: drawTime(t, "updated at"),
		Version:           rapid.Int64Range(1, 1e9).Draw(t, "version"),
		NeedsRead:         needsRead, NeedsReadReason: reason,
	}
}

func drawChecks(t *rapid.T) []schemas.PullRequestCheck {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schemas.PullRequestCheck {
		return schemas.PullRequestCheck{
			App: drawText(t, "app"), Name: drawText(t, "check name"), Conclusion: drawText(t, "conclusion"),
			State:  rapid.SampledFrom([]schemas.ChecksState{schemas.ChecksPending, schemas.ChecksSuccess, schemas.ChecksFailure}).Draw(t, "check state"),
			Status: rapid.SampledFrom([]schemas.CheckStatus{schemas.CheckQueued, schemas.CheckInProgress, schemas.CheckCompleted}).Draw(t, "status"),
		}
	}), 0, 3).Draw(t, "checks of the head")
}

func drawReviews(t *rapid.T) []schemas.PullRequestReview {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schemas.PullRequestReview {
		return schemas.PullRequestReview{
			Author: drawText(t, "reviewer"), AuthorIsBot: rapid.Bool().Draw(t, "reviewer is a bot"),
			State: rapid.SampledFrom([]schemas.ReviewState{
				schemas.ReviewApproved, schemas.ReviewChangesRequested, schemas.ReviewCommented, schemas.ReviewDismissed, schemas.ReviewWithdrawn,
			}).Draw(t, "review state"),
			HeadSHA: drawText(t, "reviewed commit"), SubmittedAt: drawTime(t, "submitted at"),
		}
	}), 0, 3).Draw(t, "reviews")
}

func drawComment(t *rapid.T, parent schemas.EntityKey) *schemas.Comment {
	return &schemas.Comment{
		EntityKey:         schemas.CommentKey("github.com", rapid.StringMatching(`[1-9][0-9]{0,9}`).Draw(t, "comment id")),
		Parent:            parent,
		Kind:              rapid.SampledFrom([]schemas.CommentKind{schemas.CommentConversation, schemas.CommentReview}).Draw(t, "comment kind"),
		State:             rapid.SampledFrom([]schemas.CommentState{schemas.CommentLive, schemas.CommentRemoved}).Draw(t, "comment state"),
		Author:            drawText(t, "comment author"),
		Body:              drawText(t, "comment body"),
		CreatedAt:         drawTime(t, "comment created at"),
		ProviderUpdatedAt: drawTime(t, "comment updated at"),
		Version:           rapid.Int64Range(1, 1e9).Draw(t, "comment version"),
	}
}

func drawTransition(t *rapid.T) schemas.Transition {
	kind := rapid.SampledFrom(schemas.Kinds()).Draw(t, "kind")
	entity := drawKey(t)
	pr := drawPullRequest(t, entity)
	var comment *schemas.Comment
	var component *schemas.StatusComponent
	var incident *schemas.StatusIncident
	switch kind {
	case schemas.KindComponentChanged:
		component = drawComponent(t)
		entity, pr = component.EntityKey, nil
	case schemas.KindIncidentOpened, schemas.KindIncidentChanged, schemas.KindIncidentResolved:
		incident = drawIncident(t)
		entity, pr = incident.EntityKey, nil
	case schemas.KindCommentCreated, schemas.KindCommentEdited, schemas.KindCommentRemoved:
		comment = drawComment(t, entity)
		entity = comment.EntityKey
	}
	transition := schemas.NewTransition(entity, kind, drawValue(t, "from", kind), drawValue(t, "to", kind), drawCause(t))
	transition.PullRequest, transition.Comment = pr, comment
	transition.Component, transition.Incident = component, incident
	return transition
}

func drawComponent(t *rapid.T) *schemas.StatusComponent {
	id := rapid.StringMatching(`[a-z0-9]{1,12}`).Draw(t, "component id")
	return &schemas.StatusComponent{
		EntityKey: schemas.ComponentKey("statuspage.io", "pg1", id), Instance: "statuspage.io", PageID: "pg1", ComponentID: id,
		Name:              drawText(t, "component name"),
		Status:            rapid.SampledFrom(schemas.ComponentStatuses()).Draw(t, "component status"),
		ProviderUpdatedAt: drawTime(t, "component updated at"),
		Version:           rapid.Int64Range(1, 1e9).Draw(t, "component version"),
	}
}

func drawIncident(t *rapid.T) *schemas.StatusIncident {
	id := rapid.StringMatching(`[a-z0-9]{1,12}`).Draw(t, "incident id")
	return &schemas.StatusIncident{
		EntityKey: schemas.IncidentKey("statuspage.io", "pg1", id), Instance: "statuspage.io", PageID: "pg1", IncidentID: id,
		Name:              drawText(t, "incident name"),
		Status:            rapid.SampledFrom(schemas.IncidentStatuses()).Draw(t, "incident status"),
		Impact:            drawText(t, "impact"),
		Components:        drawNames(t, "components"),
		Body:              drawText(t, "update"),
		Updates:           rapid.Int64Range(0, 99).Draw(t, "updates"),
		CreatedAt:         drawTime(t, "incident created at"),
		ProviderUpdatedAt: drawTime(t, "incident updated at"),
		Version:           rapid.Int64Range(1, 1e9).Draw(t, "incident version"),
	}
}

func drawMutation(t *rapid.T) schemas.Mutation {
	kind := rapid.SampledFrom(schemas.MutationKinds()).Draw(t, "kind")
	digits := rapid.StringMatching(`[0-9a-f]{32}`)
	return schemas.Mutation{
		ID:             rapid.Int64Range(1, 1<<62).Draw(t, "id"),
		Entity:         drawKey(t),
		Rule:           rapid.StringMatching(`[a-z][a-z0-9-]{0,20}`).Draw(t, "rule"),
		Kind:           kind,
		Params:         drawParams(t, kind),
		IdempotencyKey: schemas.IdempotencyKey(digits.Draw(t, "idempotency key")),
		State: rapid.SampledFrom([]schemas.MutationState{
			schemas.MutationPlanned, schemas.MutationWaiting, schemas.MutationPending, schemas.MutationClaimed,
			schemas.MutationDone, schemas.MutationSkipped, schemas.MutationCancelled, schemas.MutationDead,
		}).Draw(t, "state"),
		Reason:       drawText(t, "reason"),
		TransitionID: schemas.TransitionID(digits.Draw(t, "transition id")),
		Attempt:      rapid.IntRange(0, 100).Draw(t, "attempt"),
		CreatedAt:    drawTime(t, "created at"),
		SettledAt:    drawTime(t, "settled at"),
	}
}
