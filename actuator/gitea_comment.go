package actuator

import (
	"context"
	"fmt"
	"net/http"

	"code.gitea.io/sdk/gitea"
)

// Comments implements Provider. Versions that know no pages give all of them and
// name no next one.
func (g *Gitea) Comments(ctx context.Context, ref Ref, page int) ([]LiveComment, int, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, 0, err
	}
	owner, name, _ := ref.split()
	shown, response, err := client.ListIssueComments(owner, name, ref.Number, gitea.ListIssueCommentOptions{ListOptions: pageOf(page)})
	if err != nil {
		return nil, 0, fmt.Errorf("read page %d of the comments of %s: %w", page, ref, err)
	}
	comments := make([]LiveComment, 0, len(shown))
	for _, comment := range shown {
		comments = append(comments, LiveComment{ID: comment.ID, Author: teaName(comment.Poster), Body: comment.Body})
	}
	return comments, response.NextPage, nil
}

// pageOf is one page, of the most that a server gives unless it is told other.
func pageOf(page int) gitea.ListOptions { return gitea.ListOptions{Page: page, PageSize: teaPage} }

const teaPage = 50

func teaName(user *gitea.User) string {
	if user == nil {
		return ""
	}
	return user.UserName
}

// CreateComment implements Provider.
func (g *Gitea) CreateComment(ctx context.Context, ref Ref, body string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.CreateIssueComment(owner, name, ref.Number, gitea.CreateIssueCommentOption{Body: body})
	return wrap("comment on", ref, err)
}

// UpdateComment implements commentEditor.
func (g *Gitea) UpdateComment(ctx context.Context, ref Ref, id int64, body string) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.EditIssueComment(owner, name, id, gitea.EditIssueCommentOption{Body: body})
	return wrap("edit a comment of", ref, err)
}

// DeleteComment implements Provider.
func (g *Gitea) DeleteComment(ctx context.Context, ref Ref, id int64) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, err = client.DeleteIssueComment(owner, name, id)
	return wrap("remove a comment of", ref, unlessGone(err))
}

// unlessGone takes "it is not there" for the success of a removal. The look
// before it has shown that the pull request itself is there.
func unlessGone(err error) error {
	if answer := answerOf(err); answer != nil && answer.is(http.StatusNotFound) {
		return nil
	}
	return err
}
