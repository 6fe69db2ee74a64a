package rules

import (
	"fmt"
	"slices"
	"strings"

	"pawl/schemas"
)

// Mirror are the parameters of a mutation that keeps the mirror of a comment.
type Mirror struct {
	To      MirrorTo              `json:"to"`      // pull_request or issue
	Comment schemas.EntityKey     `json:"comment"` // that is mirrored
	Change  schemas.CommentChange `json:"change"`  // that is carried over
	// Instance and Issue are where the mirror of a pull request's comment stands,
	// and ID is its own id there.
	Instance string `json:"instance,omitempty"`
	Issue    string `json:"issue,omitempty"`
	ID       string `json:"id,omitempty"`
	// Body is the mirror's text as it was decided. What is written is the text of
	// the comment as it is then: see MirrorText.
	Body string `json:"body,omitempty"`
}

// BridgeWants is what there is to know before Bridge decides. What is empty is not
// wanted.
type BridgeWants struct {
	// Issue: the pull requests that name it are wanted.
	Issue string
	// UnderPullRequests: the pull requests under which this comment of an issue has
	// a mirror are wanted; UnderIssues: the issues under which this one of a pull
	// request has.
	UnderPullRequests, UnderIssues schemas.EntityKey
	// Earlier: the newest live comments of these issues are wanted, at most Limit
	// of all of them together.
	Earlier []string
	Limit   int
}

// IsNothing reports whether nothing is wanted.
func (w BridgeWants) IsNothing() bool {
	return w.Issue == "" && w.UnderPullRequests == "" && w.UnderIssues == "" && len(w.Earlier) == 0
}

// BridgeAround is what BridgeWants asked for. Decisions of mirrors are a function of
// it, the transition and the rules.
type BridgeAround struct {
	PullRequests []*schemas.PullRequest // in the order of their keys
	Issues       []string               // sorted
	Comments     []schemas.Comment      // oldest first
}

// Bridges reports whether a rule mirrors comments.
func (s *Set) Bridges() bool {
	return slices.ContainsFunc(s.rules, func(r *rule) bool { return r.bridge != nil })
}

// BridgeWants returns what the rules need to know for a transition.
func (s *Set) BridgeWants(t schemas.Transition) BridgeWants {
	var wants BridgeWants
	for _, r := range s.rules {
		if r.bridge == nil || !r.listensTo(t.Kind) {
			continue
		}
		switch {
		case !isCommentKind(t.Kind):
			wants.Earlier = gainedIssues(t)
			wants.Limit = max(wants.Limit, r.bridge.Earlier)
		case t.Comment == nil || !r.bridge.carries(isOfIssue(t)):
		case isOfIssue(t) && t.Kind == schemas.KindCommentCreated:
			wants.Issue = t.Comment.Issue
		case isOfIssue(t):
			wants.UnderPullRequests = t.Comment.EntityKey
		case t.Kind != schemas.KindCommentCreated:
			wants.UnderIssues = t.Comment.EntityKey
		}
	}
	return wants
}

// isOfIssue reports whether a transition is of a comment of an issue tracker.
func isOfIssue(t schemas.Transition) bool {
	return t.Comment != nil && t.Comment.Kind == schemas.CommentIssue
}

// gainedIssues returns the trackers' issues that a pull request names since a
// transition. At first sight it is all that it names.
func gainedIssues(t schemas.Transition) []string {
	switch {
	case t.PullRequest == nil:
		return nil
	case t.Kind == schemas.KindLinksChanged:
		return trackerKeys(slices.DeleteFunc(slices.Clone(t.To.List), func(link string) bool { return slices.Contains(t.From.List, link) }))
	case t.Kind == schemas.KindOpened && t.From.Text == "":
		return trackerKeys(t.PullRequest.Links)
	}
	return nil
}

// trackerKeys returns those of the links that are of an issue tracker: ENG-123, and
// not acme/api#12.
func trackerKeys(links []string) []string {
	var keys []string
	for _, link := range links {
		if !strings.Contains(link, "#") {
			keys = append(keys, link)
		}
	}
	return keys
}

// Bridge returns the decisions of the rules that mirror comments, in the order of
// the file, and of a rule in the order of the pull requests. It is a function of
// its arguments (I3).
//
//	comment_created   of an issue         under each pull request that names the issue
//	                  of a pull request   under each issue that it names
//	_edited, _removed                     wherever there is a mirror of it
//	links_changed, opened                 earlier comments, under the pull request
func (s *Set) Bridge(t schemas.Transition, around BridgeAround) []Decision {
	return s.bridgeAll(t, around, nil)
}

func (s *Set) bridgeAll(t schemas.Transition, around BridgeAround, cover *Coverage) []Decision {
	var decisions []Decision
	for _, r := range s.rules {
		if r.bridge == nil || !r.listensTo(t.Kind) {
			continue
		}
		for _, m := range r.mirrors(t, around) {
			if m.t.PullRequest == nil || !r.filter.listensAt(m.t) {
				continue
			}
			d := s.mirror(r, m, cover)
			d.Rule, d.Entity, d.Transition = r.name, m.t.PullRequest.EntityKey, &m.t
			decisions = append(decisions, d)
		}
	}
	return decisions
}

// mirrors are the mirrors of one pull request that one decision is about: of one
// comment, or of the earlier ones of an issue.
type mirrors struct {
	t        schemas.Transition // with the pull request
	change   schemas.CommentChange
	comments []schemas.Comment
	issues   []string // where they stand; of a pull request none is named
}

// mirrors returns what the rule has to decide on, one a pull request.
func (r *rule) mirrors(t schemas.Transition, around BridgeAround) []mirrors {
	switch {
	case !isCommentKind(t.Kind):
		return r.earlier(t, around)
	case t.Comment == nil || !r.bridge.carries(isOfIssue(t)):
		return nil
	case isOfIssue(t):
		var found []mirrors
		for _, pr := range around.PullRequests {
			under := t
			under.PullRequest = pr
			found = append(found, mirrors{under, changeOf(t.Kind), []schemas.Comment{*t.Comment}, nil})
		}
		return found
	}
	issues := around.Issues
	if t.Kind == schemas.KindCommentCreated && t.PullRequest != nil {
		issues = trackerKeys(t.PullRequest.Links)
	}
	if len(issues) == 0 {
		return nil
	}
	return []mirrors{{t, changeOf(t.Kind), []schemas.Comment{*t.Comment}, issues}}
}

// earlier returns the comments that were there before the pull request named their
// issue, as many as the rule wants.
func (r *rule) earlier(t schemas.Transition, around BridgeAround) []mirrors {
	gained := gainedIssues(t)
	comments := slices.DeleteFunc(slices.Clone(around.Comments), func(c schemas.Comment) bool { return !slices.Contains(gained, c.Issue) })
	if r.bridge.Earlier == 0 || len(comments) == 0 {
		return nil
	}
	comments = comments[max(0, len(comments)-r.bridge.Earlier):]
	return []mirrors{{t, schemas.CommentCreated, comments, nil}}
}

func changeOf(kind schemas.Kind) schemas.CommentChange {
	switch kind { //nolint:exhaustive // the kinds of comments
	case schemas.KindCommentEdited:
		return schemas.CommentEdited
	case schemas.KindCommentRemoved:
		return schemas.CommentDeleted
	}
	return schemas.CommentCreated
}

// mirror decides on the mirrors under one pull request. Of several comments those
// are mirrored for which the condition holds.
func (s *Set) mirror(r *rule, m mirrors, cover *Coverage) Decision {
	d := Decision{Outcome: OutcomeNo}
	for i := range m.comments {
		comment := &m.comments[i]
		if reason, own := ownMirror(comment); own {
			d.Reason = reason
			continue
		}
		if m.change != schemas.CommentDeleted && strings.TrimSpace(comment.Body) == "" {
			d.Reason = "the comment says nothing that is shown: GitLab's internal notes have no text here"
			continue
		}
		v := s.bind(m.t, Now{PullRequest: m.t.PullRequest, Comment: comment})
		v.cover = cover
		cover.reached(r)
		if m.change != schemas.CommentDeleted { // a removal ends what was mirrored, whatever is so now
			verdict := v.ask(r.clauses)
			d.Values = v.values(verdict, valuesLimit)
			switch {
			case verdict.err != nil:
				return Decision{Outcome: OutcomeError, Values: d.Values, Reason: verdict.failure(v)}
			case verdict.failed != nil:
				d.Reason = verdict.denial(v, nil)
				continue
			}
		}
		made, err := r.renderMirrors(m, comment, v)
		if err != nil {
			return Decision{Outcome: OutcomeError, Values: d.Values, Reason: err.Error()}
		}
		d.Mutations = append(d.Mutations, made...)
	}
	if len(d.Mutations) > 0 {
		d.Outcome, d.Reason = OutcomeMutate, r.mirrorReason(m, d.Mutations)
	}
	return d
}

func (r *rule) mirrorReason(m mirrors, mutations []Mutation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, carried over", m.change)
	for _, mutation := range mutations {
		fmt.Fprintf(&b, ", %s under key %s", mutation.Kind, mutation.Key)
	}
	return b.String()
}

// renderMirrors makes a mutation for each place.
func (r *rule) renderMirrors(m mirrors, comment *schemas.Comment, v *variables) ([]Mutation, error) {
	made := Mirror{To: ToPullRequest, Comment: comment.EntityKey, Change: m.change}
	if comment.Kind != schemas.CommentIssue {
		made.To, made.Instance = ToIssue, r.bridge.Instance
	}
	if m.change != schemas.CommentDeleted {
		var err error
		if made.Body, err = r.bridge.text(v); err != nil {
			return nil, err
		}
	}
	places := m.issues
	if made.To == ToPullRequest {
		places = []string{""}
	}
	mutations := make([]Mutation, len(places))
	for i, issue := range places {
		made.Issue = issue
		if made.To == ToIssue {
			made.ID = mirrorID(comment.EntityKey, made.Instance, issue)
		}
		text, err := encode(made)
		if err != nil {
			return nil, fmt.Errorf("bridge_comment: %w", err)
		}
		mutations[i] = Mutation{
			Kind: schemas.MutateBridgeComment, Params: text,
			Key: key(r.name, schemas.MutateBridgeComment, 0, m.t.PullRequest.EntityKey, mirrorScope(m, made)),
		}
	}
	return mutations, nil
}

// mirrorScope: a mirror is made once, whether its comment is heard of or its issue
// comes to be named; each later change is carried over once.
func mirrorScope(m mirrors, made Mirror) scope {
	within := string(made.Comment) + ">" + made.Issue
	if made.Change != schemas.CommentCreated {
		within += "@" + string(m.t.ID)
	}
	return scope{"mirror", within}
}

// text renders the mirror of the comment that is bound.
func (p *bridgeParams) text(v *variables) (string, error) {
	text, err := p.Body.rendered(v, "bridge_comment.body")
	return cut(text, textLimit), err
}

// MirrorText renders the text of a mirror from the comment as it is now. The error
// says what cannot be rendered, or that the rule is no more.
func (s *Set) MirrorText(name string, t schemas.Transition, now Now) (string, error) {
	r, ok := s.find(name)
	if !ok || r.bridge == nil {
		return "", fmt.Errorf("there is no rule %q any more that mirrors", name)
	}
	return r.bridge.text(s.bind(t, now))
}

// mirrorStands reports whether what was decided of a mirror is still to be done,
// before its condition is asked.
func mirrorStands(t schemas.Transition, comment *schemas.Comment) (reason string, stands bool) {
	switch {
	case comment == nil:
		return "the comment is unknown", false
	case comment.State == schemas.CommentRemoved && t.Kind != schemas.KindCommentRemoved:
		return "the comment is removed by now", false
	}
	return "", true
}

// ownMirror reports whether a comment is a mirror that we made, or another comment
// of ours: by the marker that it ends in, or by its id. It does not go by who wrote
// it: a person and Pawl may share an account.
func ownMirror(comment *schemas.Comment) (reason string, own bool) {
	if comment.Kind == schemas.CommentIssue {
		parsed, err := schemas.ParseKey(comment.EntityKey)
		return "own echo: the comment's id is one that we make", err == nil && isMirrorID(parsed.Comment)
	}
	return "own echo: the comment carries our marker", strings.Contains(comment.Body, Marker)
}
