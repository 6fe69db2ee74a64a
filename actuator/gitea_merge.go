package actuator

import (
	"context"
	"fmt"
	"net/http"

	"code.gitea.io/sdk/gitea"
)

// Merge implements Provider. The answer names no commit, so it is read; where
// that fails the merge is done all the same.
func (g *Gitea) Merge(ctx context.Context, ref Ref, params MergeParams) (string, error) {
	if err := g.merge(ctx, ref, mergeOption(params)); err != nil {
		return "", wrap("merge", ref, err)
	}
	shown, _, err := g.read(ctx, ref)
	if err != nil || shown.MergeCommitSHA == "" {
		return "a commit that was not read", nil //nolint:nilerr // the merge is done, its name is only told
	}
	return shown.MergeCommitSHA, nil
}

// EnableAutoMerge implements autoMerger. One that is on is no error. The server
// merges at once where nothing is left to wait for. It compares no head when it
// switches auto-merge on, so the head is read right before it.
func (g *Gitea) EnableAutoMerge(ctx context.Context, ref Ref, params MergeParams) error {
	shown, _, err := g.read(ctx, ref)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNotSent, err)
	case shown.Head.SHA != params.SHA:
		return wrap("switch on auto-merge of", ref, movedTo(shown.Head.SHA))
	}
	option := mergeOption(params)
	option.MergeWhenChecksSucceed = true
	err = g.merge(ctx, ref, option)
	if answer := answerOf(err); answer != nil && answer.is(http.StatusConflict) && answer.says("already scheduled") {
		return nil
	}
	return wrap("switch on auto-merge of", ref, err)
}

func mergeOption(params MergeParams) gitea.MergePullRequestOption {
	return gitea.MergePullRequestOption{
		Style: gitea.MergeStyle(params.Method), Title: params.Title, Message: params.Message, HeadCommitId: params.SHA,
	}
}

func (g *Gitea) merge(ctx context.Context, ref Ref, option gitea.MergePullRequestOption) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	taken, response, err := client.MergePullRequest(owner, name, ref.Number, option)
	if err == nil && !taken {
		return begun(fmt.Sprintf("the merge was answered with %d", response.StatusCode))
	}
	return judgeMerge(err)
}

// judgeMerge says what the server's refusals of a merge mean. 405 is all of
// them, and what a 409 is about stands in its text: a conflict has none.
func judgeMerge(err error) error {
	answer := answerOf(err)
	switch {
	case answer == nil:
	case answer.is(http.StatusMethodNotAllowed) && answer.says("try again later"):
		answer.verdict = transient // it is being checked for conflicts
	case answer.is(http.StatusMethodNotAllowed) && answer.message != "" && !answer.says("not allowed") && !answer.says("work in progress") && !answer.says("sign"):
		answer.refusal = refusedUnmet
	case answer.is(http.StatusConflict) && !answer.says("out of date"):
		answer.verdict = permanent
	}
	return err
}

// UpdateBranch implements branchUpdater. The call takes no sha: the head is read
// right before it. Where the branch has all of its base the server answers 500,
// so that is looked for too.
func (g *Gitea) UpdateBranch(ctx context.Context, ref Ref, sha string) error {
	shown, _, err := g.read(ctx, ref)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNotSent, err)
	case shown.Head.SHA != sha:
		return wrap("update the branch of", ref, movedTo(shown.Head.SHA))
	case shown.MergeBase != "" && shown.MergeBase == shown.Base.SHA:
		return wrap("update the branch of", ref, &answerError{message: "it has all of its base", verdict: permanent, refusal: refusedCurrent})
	}
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, err = client.UpdatePullRequest(owner, name, ref.Number)
	return wrap("update the branch of", ref, err)
}

// movedTo says that a call was not made, for the head is another.
func movedTo(sha string) error {
	return &answerError{message: "the head is " + sha, verdict: gone}
}

// Parents implements branchUpdater.
func (g *Gitea) Parents(ctx context.Context, ref Ref, sha string) ([]string, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	owner, name, _ := ref.split()
	commit, _, err := client.GetSingleCommit(owner, name, sha)
	if err != nil {
		return nil, fmt.Errorf("read commit %s of %s: %w", sha, ref, err)
	}
	parents := make([]string, 0, len(commit.Parents))
	for _, parent := range commit.Parents {
		parents = append(parents, parent.SHA)
	}
	return parents, nil
}
