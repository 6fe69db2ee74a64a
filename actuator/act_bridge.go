package actuator

import (
	"context"
	"fmt"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// mirrorEffect: a comment of an issue stands under the pull request too, as it reads
// now. The mirror is a sticky comment whose name is the comment's key: found by its
// marker, whatever became of its text, and whichever rule made it.
type mirrorEffect struct {
	stickyEffect
	edits bool // an edit is carried over: there is a mirror, or nothing is done
}

// makeBridge makes the effect of a mirror. Its text is that of the comment as it is
// now, so that one which is tried again writes nothing old.
func (a *Actuator) makeBridge(m mutation, g *gate, ref Ref) (effect, error) {
	var mirror rules.Mirror
	if err := params(m, &mirror); err != nil {
		return nil, err
	}
	if mirror.To == rules.ToIssue {
		return a.makeIssueMirror(m, g, mirror)
	}
	if g.provider == nil {
		return nil, noProvider(m)
	}
	if mirror.Change == schemas.CommentDeleted {
		return &deleteCommentEffect{provider: g, ref: ref, Sticky: string(mirror.Comment)}, nil
	}
	made := &mirrorEffect{
		stickyEffect{provider: g, ref: ref, key: m.IdempotencyKey, decided: m.CreatedAt, Name: string(mirror.Comment)},
		mirror.Change == schemas.CommentEdited,
	}
	made.Body = a.mirrorText(m, mirror)
	return made, nil
}

// mirrorText is the text as of the newest row. Where the rule is no more it is the
// one that was decided; the condition, which is asked before, has the last word.
func (a *Actuator) mirrorText(m mutation, mirror rules.Mirror) string {
	text, err := a.rules().MirrorText(m.Rule, m.Transition, newestOf(m))
	if err != nil {
		return mirror.Body
	}
	return text
}

func (e *mirrorEffect) look(ctx context.Context) (sight, error) {
	seen, err := e.stickyEffect.look(ctx)
	if err == nil && e.there == nil && e.edits {
		return sight{gone: true, reason: "there is no mirror of it to edit"}, nil
	}
	return seen, err
}

// issueMirrorEffect: a comment of a pull request stands under the issue too. Its id
// is made by us, so it is looked for by its id, and a second one cannot be made.
type issueMirrorEffect struct {
	tracker Tracker
	mirror  rules.Mirror
	body    string

	there *LiveIssueComment // what the look found
	under LiveIssue         // where it is to be made
}

func (a *Actuator) makeIssueMirror(m mutation, g *gate, mirror rules.Mirror) (effect, error) {
	tracker, ok := a.config.Trackers[mirror.Instance]
	if !ok {
		return nil, fmt.Errorf("no issue tracker is configured for %q: add it under providers", mirror.Instance)
	}
	return &issueMirrorEffect{tracker: gatedTracker{g, tracker}, mirror: mirror, body: a.mirrorText(m, mirror)}, nil
}

func (e *issueMirrorEffect) look(ctx context.Context) (sight, error) {
	found, ok, err := e.tracker.IssueComment(ctx, e.mirror.ID)
	if err != nil {
		return sight{}, err
	}
	e.there = nil
	if ok {
		e.there = &found
	}
	switch {
	case !ok && e.mirror.Change == schemas.CommentDeleted:
		return sight{found: true, reason: "the mirror is not there"}, nil
	case !ok && e.mirror.Change == schemas.CommentEdited:
		return sight{gone: true, reason: "there is no mirror of it to edit"}, nil
	case !ok:
		return e.lookForIssue(ctx)
	case e.mirror.Change != schemas.CommentDeleted && normalText(found.Body) == normalText(e.body):
		return sight{found: true, reason: "found comment " + found.ID + " with that text"}, nil
	}
	return sight{}, nil
}

// lookForIssue: what looks like the key of an issue is not always one.
func (e *issueMirrorEffect) lookForIssue(ctx context.Context) (sight, error) {
	issue, ok, err := e.tracker.Issue(ctx, e.mirror.Issue)
	if err != nil {
		return sight{}, err
	}
	if !ok {
		return sight{gone: true, reason: fmt.Sprintf("%s has no issue %s", e.mirror.Instance, e.mirror.Issue)}, nil
	}
	e.under = issue
	return sight{}, nil
}

func (e *issueMirrorEffect) change(ctx context.Context) (string, error) {
	switch {
	case e.mirror.Change == schemas.CommentDeleted:
		return "", e.tracker.DeleteIssueComment(ctx, e.mirror.ID)
	case e.there != nil:
		return "edited comment " + e.mirror.ID, e.tracker.UpdateIssueComment(ctx, e.mirror.ID, e.body)
	}
	return fmt.Sprintf("comment %s under %s", e.mirror.ID, e.under.Identifier),
		e.tracker.CreateIssueComment(ctx, e.under.ID, e.mirror.ID, e.body)
}
