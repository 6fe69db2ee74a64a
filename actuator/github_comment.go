package actuator

import (
	"context"
	"fmt"
	"net/url"

	"github.com/google/go-github/v66/github"
)

// Comments implements Provider.
func (g *GitHub) Comments(ctx context.Context, ref Ref, page int) ([]LiveComment, int, error) {
	client, err := g.of(ctx, ref)
	if err != nil {
		return nil, 0, err
	}
	owner, name, number := ref.split()
	shown, response, err := client.Issues.ListComments(ctx, owner, name, number, &github.IssueListCommentsOptions{
		ListOptions: github.ListOptions{Page: page, PerPage: perPage},
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read page %d of the comments of %s: %w", page, ref, err)
	}
	comments := make([]LiveComment, 0, len(shown))
	for _, c := range shown {
		comments = append(comments, LiveComment{ID: c.GetID(), Author: c.GetUser().GetLogin(), Body: c.GetBody()})
	}
	return comments, response.NextPage, nil
}

// CreateComment implements Provider.
func (g *GitHub) CreateComment(ctx context.Context, ref Ref, body string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, _, err = client.Issues.CreateComment(ctx, owner, name, number, &github.IssueComment{Body: &body})
	return wrap("comment on", ref, err)
}

// UpdateComment implements commentEditor.
func (g *GitHub) UpdateComment(ctx context.Context, ref Ref, id int64, body string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, _, err = client.Issues.EditComment(ctx, owner, name, id, &github.IssueComment{Body: &body})
	return wrap("edit a comment of", ref, err)
}

// DeleteComment implements Provider.
func (g *GitHub) DeleteComment(ctx context.Context, ref Ref, id int64) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, _ := ref.split()
	_, err = client.Issues.DeleteComment(ctx, owner, name, id)
	return wrap("remove a comment of", ref, unlessNotFound(err))
}

// AddLabels implements Provider.
func (g *GitHub) AddLabels(ctx context.Context, ref Ref, labels []string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, _, err = client.Issues.AddLabelsToIssue(ctx, owner, name, number, labels)
	return wrap("label", ref, err)
}

// RemoveLabel implements Provider. go-github puts the name into the path as it
// is: a slash or a question mark in it must be escaped here.
func (g *GitHub) RemoveLabel(ctx context.Context, ref Ref, label string) error {
	client, err := g.of(ctx, ref)
	if err != nil {
		return err
	}
	owner, name, number := ref.split()
	_, err = client.Issues.RemoveLabelForIssue(ctx, owner, name, number, url.PathEscape(label))
	return wrap("unlabel", ref, unlessNotFound(err))
}
