package rules_test

import (
	"time"

	"pgregory.net/rapid"

	"pawl/schemas"
)

// transition returns a labels_changed of an open pull request.
func transition(change func(*schemas.Transition)) schemas.Transition {
	t := schemas.NewTransition("github.com:101#7", schemas.KindLabelsChanged,
		schemas.Value{List: []string{}}, schemas.Value{List: []string{"automerge"}},
		schemas.Cause{
			Source: "github", DeliveryID: "d-1", Provider: "github", Event: "pull_request", Action: "labeled",
			Sender: schemas.Actor{Login: "alice"},
		})
	t.PullRequest = &schemas.PullRequest{
		EntityKey: "github.com:101#7", Instance: "github.com", RepositoryID: "101", Repository: "acme/api", Number: 7,
		Title: "Add a pawl", Author: "alice", State: schemas.Open, HeadSHA: "6dcb09b5", BaseRef: "main",
		Labels: []string{"automerge"}, ChecksState: schemas.ChecksSuccess, Approvals: 1,
		Checks:    []schemas.PullRequestCheck{{App: "ci", Name: "build", State: schemas.ChecksSuccess, Status: schemas.CheckCompleted, Conclusion: "success"}},
		Reviews:   []schemas.PullRequestReview{{Author: "bob", State: schemas.ReviewApproved, HeadSHA: "6dcb09b5"}},
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if change != nil {
		change(&t)
	}
	return t
}

// commentTransition returns a comment_created on that pull request.
func commentTransition(change func(*schemas.Transition)) schemas.Transition {
	return transition(func(t *schemas.Transition) {
		t.Kind, t.Entity = schemas.KindCommentCreated, "github.com:comment/12"
		t.From, t.To = schemas.Value{}, schemas.Value{Text: "live"}
		t.Comment = &schemas.Comment{
			EntityKey: t.Entity, Parent: "github.com:101#7", State: schemas.CommentLive, Author: "bob", Body: "/merge",
		}
		if change != nil {
			change(t)
		}
	})
}

// drawTransition draws any transition, also ones that no stage makes.
func drawTransition(t *rapid.T) schemas.Transition {
	text := func(name string) string { return rapid.String().Draw(t, name) }
	side := func(name string) schemas.Value {
		if rapid.Bool().Draw(t, name+" is a list") {
			return schemas.Value{List: rapid.SliceOf(rapid.String()).Draw(t, name)}
		}
		return schemas.Value{Text: text(name)}
	}
	kind := rapid.OneOf(rapid.SampledFrom(schemas.Kinds()), rapid.Just(schemas.Kind("unheard_of"))).Draw(t, "kind")
	drawn := schemas.NewTransition(drawKey(t, "entity"), kind, side("from"), side("to"), schemas.Cause{
		Source: text("source"), DeliveryID: schemas.DeliveryID(text("delivery id")), Sender: schemas.Actor{Login: text("sender")},
	})
	if rapid.IntRange(0, 9).Draw(t, "without a pull request") > 0 {
		drawn.PullRequest = drawPullRequest(t)
	}
	if rapid.Bool().Draw(t, "with a comment") {
		drawn.Comment = &schemas.Comment{
			EntityKey: drawn.Entity, Parent: drawKey(t, "parent"), Author: text("comment author"), Body: text("comment body"),
		}
	}
	return drawn
}

func drawKey(t *rapid.T, name string) schemas.EntityKey {
	keys := []string{"github.com:101#7", "github.com:101#8", "github.com:comment/12", "", "x", "github.com:1\x00#7"}
	return schemas.EntityKey(rapid.OneOf(rapid.SampledFrom(keys), rapid.String()).Draw(t, name))
}

func drawPullRequest(t *rapid.T) *schemas.PullRequest {
	at := func(name string) time.Time {
		return time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, name), 0).UTC()
	}
	return &schemas.PullRequest{
		EntityKey: drawKey(t, "pr"), Instance: rapid.SampledFrom([]string{"", "github.com", "x"}).Draw(t, "instance"),
		Number: rapid.Int64().Draw(t, "number"), Title: rapid.String().Draw(t, "title"), Body: rapid.String().Draw(t, "body"),
		Author: rapid.SampledFrom([]string{"", "alice", "bob"}).Draw(t, "author"),
		State:  rapid.SampledFrom([]schemas.State{"", schemas.Open, schemas.Closed, schemas.Merged}).Draw(t, "state"),
		Draft:  rapid.Bool().Draw(t, "draft"), HeadSHA: rapid.SampledFrom([]string{"", "a", "b\x00c"}).Draw(t, "head"),
		Labels:    rapid.SliceOf(rapid.SampledFrom([]string{"automerge", "wip", ""})).Draw(t, "labels"),
		Approvals: rapid.Int64Range(0, 3).Draw(t, "approvals"),
		CreatedAt: at("created at"), MergedAt: at("merged at"),
		Repository: rapid.SampledFrom([]string{"", "acme/api", "acme/tools/x", "Other/api"}).Draw(t, "repository"),
		Checks: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schemas.PullRequestCheck {
			return schemas.PullRequestCheck{
				App:   rapid.SampledFrom([]string{"a", "b"}).Draw(t, "app"),
				Name:  rapid.SampledFrom([]string{"build", "lint", "", "a\x00b"}).Draw(t, "check"),
				State: rapid.SampledFrom([]schemas.ChecksState{"", schemas.ChecksPending, schemas.ChecksSuccess, schemas.ChecksFailure}).Draw(t, "state"),
			}
		}), 0, 4).Draw(t, "checks"),
		Reviews: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schemas.PullRequestReview {
			return schemas.PullRequestReview{
				Author:  rapid.SampledFrom([]string{"bob", "carol"}).Draw(t, "reviewer"),
				State:   rapid.SampledFrom([]schemas.ReviewState{schemas.ReviewApproved, schemas.ReviewChangesRequested}).Draw(t, "opinion"),
				HeadSHA: rapid.SampledFrom([]string{"", "a", "z"}).Draw(t, "reviewed"),
			}
		}), 0, 3).Draw(t, "reviews"),
		Links: rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "links"),
	}
}
