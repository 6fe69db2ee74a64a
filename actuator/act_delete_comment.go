package actuator

import (
	"context"
	"fmt"
	"strconv"

	"pawl/schemas"
)

// deleteCommentEffect: a comment is not there any more. It is named by its id,
// or is our sticky one of a name.
type deleteCommentEffect struct {
	provider commenterReader
	ref      Ref
	Sticky   string `json:"sticky"`
	Comment  string `json:"comment"`

	left []int64 // what the look found to remove
}

// commenterReader is a commenter that knows our login.
type commenterReader interface {
	commenter
	Login(ctx context.Context) (string, error)
}

// check refuses a comment that the provider keeps elsewhere.
func (e *deleteCommentEffect) check(about *schemas.Comment) error {
	if e.Sticky != "" {
		return nil
	}
	if _, err := strconv.ParseInt(e.Comment, 10, 64); err != nil {
		return fmt.Errorf("parameters of delete_comment: %q is no id of a comment", e.Comment)
	}
	if about != nil && about.Kind == schemas.CommentReview {
		return fmt.Errorf("comment %s stands in a review: only those of the conversation can be removed", e.Comment)
	}
	return nil
}

func (e *deleteCommentEffect) look(ctx context.Context) (sight, error) {
	e.left = nil
	var err error
	if e.Sticky != "" {
		err = e.lookForSticky(ctx)
	} else {
		err = eachComment(ctx, e.provider, e.ref, func(c LiveComment, _ bool) {
			if strconv.FormatInt(c.ID, 10) == e.Comment {
				e.left = append(e.left, c.ID)
			}
		})
	}
	if err != nil || len(e.left) > 0 {
		return sight{}, err
	}
	return sight{found: true, reason: "the comment is not there"}, nil
}

func (e *deleteCommentEffect) lookForSticky(ctx context.Context) error {
	ours, err := stickies(ctx, e.provider, e.ref, e.Sticky)
	for _, c := range ours {
		e.left = append(e.left, c.ID)
	}
	return err
}

func (e *deleteCommentEffect) change(ctx context.Context) (string, error) {
	return "", inTurn(e.left, func(id int64) error { return e.provider.DeleteComment(ctx, e.ref, id) })
}

// inTurn makes one call after another. A refusal after the first one is marked:
// part of the effect is there.
func inTurn[T any](all []T, call func(T) error) error {
	for i, one := range all {
		if err := call(one); err != nil {
			if i > 0 {
				return fmt.Errorf("%w, %d of %d: %w", errPartly, i, len(all), err)
			}
			return err
		}
	}
	return nil
}
