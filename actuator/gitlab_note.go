package actuator

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Comments implements Provider. What GitLab notes by itself is no comment.
func (g *GitLab) Comments(ctx context.Context, ref Ref, page int) ([]LiveComment, int, error) {
	notes, response, err := g.client.Notes.ListMergeRequestNotes(g.project(ref), ref.Number, &gitlab.ListMergeRequestNotesOptions{
		ListOptions: gitlab.ListOptions{Page: int64(page), PerPage: perPage},
		OrderBy:     new("created_at"), Sort: new("asc"),
	}, gitlab.WithContext(ctx))
	if err != nil {
		return nil, 0, fmt.Errorf("read page %d of the notes of %s: %w", page, ref, err)
	}
	comments := make([]LiveComment, 0, len(notes))
	for _, note := range notes {
		if !note.System {
			comments = append(comments, LiveComment{ID: note.ID, Author: note.Author.Username, Body: plainNote(note.Body)})
		}
	}
	return comments, int(response.NextPage), nil
}

// CreateComment implements Provider.
func (g *GitLab) CreateComment(ctx context.Context, ref Ref, body string) error {
	_, _, err := g.client.Notes.CreateMergeRequestNote(g.project(ref), ref.Number,
		&gitlab.CreateMergeRequestNoteOptions{Body: new(quietNote(body))}, gitlab.WithContext(ctx))
	return wrap("comment on", ref, err)
}

// UpdateComment implements commentEditor.
func (g *GitLab) UpdateComment(ctx context.Context, ref Ref, id int64, body string) error {
	_, _, err := g.client.Notes.UpdateMergeRequestNote(g.project(ref), ref.Number, id,
		&gitlab.UpdateMergeRequestNoteOptions{Body: new(quietNote(body))}, gitlab.WithContext(ctx))
	return wrap("edit a comment of", ref, err)
}

// DeleteComment implements Provider.
func (g *GitLab) DeleteComment(ctx context.Context, ref Ref, id int64) error {
	_, err := g.client.Notes.DeleteMergeRequestNote(g.project(ref), ref.Number, id, gitlab.WithContext(ctx))
	return wrap("remove a comment of", ref, unlessGone(err))
}

// A line of a note that begins with a slash is a quick action: /merge in a title
// that a comment quotes would merge in our name. A backslash before the slash
// shows as the slash and commands nothing.
//
//nolint:gochecknoglobals // compiled once
var (
	quickAction = regexp.MustCompile(`(?m)^([ \t]*\\*)(/[A-Za-z])`)
	quieted     = regexp.MustCompile(`(?m)^([ \t]*\\*)\\(/[A-Za-z])`)
)

// quietNote is a text in which no line commands anything.
func quietNote(text string) string {
	return quickAction.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), `$1\$2`)
}

// plainNote takes back what quietNote did.
func plainNote(text string) string {
	return quieted.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), `$1$2`)
}
