package fakelinear

import (
	"fmt"
	"regexp"

	"github.com/graph-gophers/graphql-go"
)

// resolver answers the queries of the schema.
type resolver struct{ server *Server }

// refusal is an error as Linear tells it.
type refusal struct{ code, message string }

func (r *refusal) Error() string { return r.message }

// Extensions implements the library's interface for errors.
func (r *refusal) Extensions() map[string]any {
	return map[string]any{"code": r.code, "type": "invalid input", "userError": true, "userPresentableMessage": r.message}
}

func notFound(what string) error {
	return &refusal{"INVALID_INPUT", fmt.Sprintf("Entity not found: %s - Could not find referenced %s.", what, what)}
}

type user struct{ name string }

func (u *user) ID() graphql.ID { return graphql.ID("user-" + u.name) }

func (u *user) Name() string { return u.name }

type issue struct{ id, identifier string }

func (i *issue) ID() graphql.ID { return graphql.ID(i.id) }

func (i *issue) Identifier() string { return i.identifier }

type comment struct {
	Comment
	on *issue
}

func (c *comment) ID() graphql.ID { return graphql.ID(c.Comment.ID) }

func (c *comment) Body() string { return c.Comment.Body }

func (c *comment) Issue() *issue { return c.on }

func (c *comment) User() *user { return &user{c.Author} }

type commentPayload struct{ comment *comment }

func (p *commentPayload) Success() bool { return true }

func (p *commentPayload) Comment() *comment { return p.comment }

type deletePayload struct{ id string }

func (p *deletePayload) Success() bool { return true }

func (p *deletePayload) EntityID() string { return p.id }

// Viewer is who calls.
func (r *resolver) Viewer() *user { return &user{r.server.config.Name} }

// Issue finds an issue by its id or its identifier.
func (r *resolver) Issue(args struct{ ID string }) (*issue, error) {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.findIssue(args.ID); found != nil {
		return found, nil
	}
	return nil, notFound("Issue")
}

// Comment finds a comment by its id.
func (r *resolver) Comment(args struct{ ID, Hash *string }) (*comment, error) {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if args.ID == nil {
		return nil, &refusal{"INVALID_INPUT", "id or hash must be given"}
	}
	if at := s.findComment(*args.ID); at >= 0 {
		return s.shown(at), nil
	}
	return nil, notFound("Comment")
}

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// CommentCreate makes a comment under the id that the caller chose.
func (r *resolver) CommentCreate(args struct {
	Input struct{ ID, IssueID, Body, CreateAsUser *string }
},
) (*commentPayload, error) {
	s, input := r.server, args.Input
	s.mu.Lock()
	defer s.mu.Unlock()
	id := newID()
	switch {
	case input.IssueID == nil || input.Body == nil || *input.Body == "":
		return nil, &refusal{"INVALID_INPUT", "Argument Validation Error"}
	case input.ID != nil && !uuid4.MatchString(*input.ID):
		return nil, &refusal{"INVALID_INPUT", "id must be a UUID"}
	case input.ID != nil && s.findComment(*input.ID) >= 0:
		return nil, &refusal{"INVALID_INPUT", "Entity already exists: Comment"}
	case input.ID != nil:
		id = *input.ID
	}
	on := s.findIssue(*input.IssueID)
	if on == nil {
		return nil, notFound("Issue")
	}
	s.create(on.identifier, id, s.config.Name, *input.Body)
	return &commentPayload{s.shown(len(s.comments) - 1)}, nil
}

// CommentUpdate changes the text of a comment.
func (r *resolver) CommentUpdate(args struct {
	ID           string
	Input        struct{ Body *string }
	SkipEditedAt *bool
},
) (*commentPayload, error) {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.findComment(args.ID)
	if at < 0 {
		return nil, notFound("Comment")
	}
	if args.Input.Body != nil {
		s.edit(at, s.config.Name, *args.Input.Body)
	}
	return &commentPayload{s.shown(at)}, nil
}

// CommentDelete removes a comment.
func (r *resolver) CommentDelete(args struct{ ID string }) (*deletePayload, error) {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.findComment(args.ID)
	if at < 0 {
		return nil, notFound("Comment")
	}
	s.remove(at, s.config.Name)
	return &deletePayload{args.ID}, nil
}
