package actuator

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Merge implements Provider. GitLab looks at everything else before it compares
// the sha, so a head that moved may also come as another refusal; the look
// after it tells.
func (g *GitLab) Merge(ctx context.Context, ref Ref, params MergeParams) (string, error) {
	if params.Method == "rebase" {
		return "", &lackError{instance: g.instance, what: "choose to rebase: a project's merge method is one of its settings; use method merge"}
	}
	merged, _, err := g.client.MergeRequests.AcceptMergeRequest(g.project(ref), ref.Number, acceptOptions(params), gitlab.WithContext(ctx))
	if err != nil {
		return "", wrap("merge", ref, g.why(ctx, ref, err))
	}
	if merged.State != stateMerged {
		return "", wrap("merge", ref, begun("the merge was accepted, and the merge request is "+merged.State))
	}
	return labMergeRequest{MergeCommitSHA: merged.MergeCommitSHA, SquashCommitSHA: merged.SquashCommitSHA, SHA: merged.SHA}.commit(), nil
}

// EnableAutoMerge implements autoMerger. GitLab merges at once where there is
// nothing to wait for.
func (g *GitLab) EnableAutoMerge(ctx context.Context, ref Ref, params MergeParams) error {
	options := acceptOptions(params)
	options.AutoMerge = new(true)
	options.MergeWhenPipelineSucceeds = new(true) //nolint:staticcheck // versions before 17.11 know no other name
	merged, _, err := g.client.MergeRequests.AcceptMergeRequest(g.project(ref), ref.Number, options, gitlab.WithContext(ctx))
	switch {
	case err != nil:
		err = g.why(ctx, ref, err)
	case merged.State != stateMerged && !merged.MergeWhenPipelineSucceeds:
		err = begun("auto-merge was accepted, and is off")
	}
	return wrap("switch on auto-merge of", ref, err)
}

// begun is an answer of success that does not show the effect.
func begun(message string) error {
	return &answerError{message: message, verdict: unknown}
}

// acceptOptions give one text for title and message, as GitLab wants it: of the
// squash commit where it squashes, else of the merge commit.
func acceptOptions(params MergeParams) *gitlab.AcceptMergeRequestOptions {
	options := &gitlab.AcceptMergeRequestOptions{SHA: &params.SHA, Squash: new(params.Method == "squash")}
	text := strings.Trim(params.Title+"\n\n"+params.Message, "\n")
	switch {
	case text == "":
	case *options.Squash:
		options.SquashCommitMessage = &text
	default:
		options.MergeCommitMessage = &text
	}
	return options
}

// why asks for the reason of a refusal that names none: 405, 406 and 422 say
// that it cannot be merged, detailed_merge_status says what is missing.
func (g *GitLab) why(ctx context.Context, ref Ref, err error) error {
	answer := answerOf(err)
	if answer == nil || !answer.is(http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnprocessableEntity) {
		return err
	}
	shown, _, readErr := g.read(ctx, ref)
	if readErr != nil {
		answer.verdict = transient
		return fmt.Errorf("%w (and why is not known: %w)", err, readErr)
	}
	answer.message += " (detailed_merge_status: " + shown.DetailedMergeStatus + ")"
	switch shown.DetailedMergeStatus {
	case "", "mergeable", "checking", "unchecked", "preparing", "approvals_syncing":
		answer.verdict = transient // what was in the way is gone, or GitLab is still looking
	case "conflict", "need_rebase", "commits_status", "not_open":
	default:
		answer.refusal = refusedUnmet
	}
	return err
}
