package schemas_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"pawl/schemas"
)

// drawParams draws the parameters of a mutation as rules render them.
func drawParams(t *rapid.T, kind schemas.MutationKind) json.RawMessage {
	params := requiredParams(t, kind)
	for name, draw := range optionalParams(kind) {
		if rapid.Bool().Draw(t, "with "+name) {
			params[name] = draw(t)
		}
	}
	if kind == schemas.MutateCheckRun && params["status"] == "completed" {
		params["conclusion"] = rapid.SampledFrom([]string{"success", "failure", "neutral", "action_required"}).Draw(t, "conclusion")
	}
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func requiredParams(t *rapid.T, kind schemas.MutationKind) map[string]any {
	text := func(name string) string { return rapid.StringN(1, 100, 400).Draw(t, name) }
	sha := rapid.StringMatching(`[0-9a-f]{40}`).Draw(t, "sha")
	switch kind {
	case schemas.MutateClose, schemas.MutateReopen:
		return map[string]any{}
	case schemas.MutateComment:
		return map[string]any{"body": text("body")}
	case schemas.MutateDeleteComment:
		return rapid.SampledFrom([]map[string]any{{"sticky": "size"}, {"comment": "17"}}).Draw(t, "which comment")
	case schemas.MutateMerge:
		return map[string]any{
			"method": rapid.SampledFrom([]string{"merge", "squash", "rebase"}).Draw(t, "method"), "sha": sha,
			"queue": rapid.Bool().Draw(t, "queue"), "auto_merge": rapid.Bool().Draw(t, "auto merge"),
		}
	case schemas.MutateUpdateBranch, schemas.MutateApprove:
		return map[string]any{"sha": sha}
	case schemas.MutateAddLabels, schemas.MutateRemoveLabels:
		return map[string]any{"labels": append(drawNames(t, "labels"), "one")}
	case schemas.MutateRequestReview:
		return map[string]any{"reviewers": append(drawNames(t, "reviewers"), "alice"), "teams": drawNames(t, "teams")}
	case schemas.MutateDismissReview:
		return map[string]any{"message": text("message")}
	case schemas.MutateCheckRun:
		status := rapid.SampledFrom([]string{"queued", "in_progress", "completed"}).Draw(t, "status")
		return map[string]any{"name": text("name"), "sha": sha, "status": status}
	case schemas.MutateCommitStatus:
		state := rapid.SampledFrom([]string{"error", "failure", "pending", "success"}).Draw(t, "state")
		return map[string]any{"context": text("context"), "sha": sha, "state": state}
	case schemas.MutateNotify:
		return map[string]any{"url": rapid.SampledFrom([]string{"env:SLACK_URL", "file:/run/secrets/slack"}).Draw(t, "url"), "text": text("text")}
	case schemas.MutateBridgeComment:
		return map[string]any{
			"to":      rapid.SampledFrom([]string{"pull_request", "issue"}).Draw(t, "to"),
			"comment": rapid.SampledFrom([]string{"linear.app:comment/c1", "github.com:comment/17"}).Draw(t, "comment"),
			"change":  rapid.SampledFrom([]string{"created", "edited", "deleted"}).Draw(t, "change"),
		}
	}
	panic(fmt.Sprintf("no parameters are drawn for %s", kind))
}

func optionalParams(kind schemas.MutationKind) map[string]func(*rapid.T) any {
	text := func(t *rapid.T) any { return drawText(t, "text") }
	link := func(t *rapid.T) any {
		return "https://example.com/" + rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "link")
	}
	return map[schemas.MutationKind]map[string]func(*rapid.T) any{
		schemas.MutateComment:       {"sticky": func(t *rapid.T) any { return rapid.StringMatching(`[a-z0-9-]{1,9}`).Draw(t, "sticky") }},
		schemas.MutateMerge:         {"title": text, "message": text},
		schemas.MutateApprove:       {"body": text},
		schemas.MutateBridgeComment: {"instance": text, "issue": text, "id": text, "body": text},
		schemas.MutateDismissReview: {"author": func(t *rapid.T) any { return rapid.StringN(1, 20, 80).Draw(t, "author") }},
		schemas.MutateCheckRun:      {"title": text, "summary": text, "details_url": link},
		schemas.MutateCommitStatus: {"target_url": link, "description": func(t *rapid.T) any {
			return strings.Repeat("é", rapid.IntRange(0, 140).Draw(t, "length"))
		}},
		schemas.MutateNotify: {"title": text},
	}[kind]
}
