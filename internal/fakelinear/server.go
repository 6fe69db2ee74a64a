package fakelinear

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/graph-gophers/graphql-go"

	"pawl/internal/fakeforge"
)

//go:embed schema.graphql
var schemaText string

// Fault is something that goes wrong with calls to come.
type Fault = fakeforge.Fault

// Config says who calls.
type Config struct {
	// Authorization is the header that is taken: a personal key as it is, an OAuth
	// token behind "Bearer ".
	Authorization string
	// Name is who the key belongs to.
	Name string
	// ErrorStatus is the HTTP status of answers with errors: 200 where it is 0.
	ErrorStatus int
	// Remaining is what is left of the hour's calls; 0 is no limit.
	Remaining int
	// Tell gets the body of a webhook for each change. Nil tells nobody.
	Tell func(body []byte)
}

// Comment is a comment of an issue.
type Comment struct {
	ID        string
	Issue     string // ENG-5
	Author    string
	Body      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// The kinds of effects.
const (
	Created = "comment created"
	Updated = "comment updated"
	Deleted = "comment deleted"
)

// Server is the API. It is an http.Handler, and safe for concurrent use.
type Server struct {
	fakeforge.Core
	config Config
	schema *graphql.Schema
	mux    *http.ServeMux

	mu       sync.Mutex // mu guards what follows
	left     int
	issues   map[string]string // id by identifier
	comments []Comment
}

// New returns a server without issues.
func New(config Config) *Server {
	s := &Server{config: config, left: config.Remaining, issues: make(map[string]string), mux: http.NewServeMux()}
	s.schema = graphql.MustParseSchema(schemaText, &resolver{s})
	s.mux.HandleFunc("POST /graphql", s.Handle(s.answer))
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) answer(r *http.Request) fakeforge.Reply {
	if r.Header.Get("Authorization") != s.config.Authorization {
		return refuse(http.StatusUnauthorized, "AUTHENTICATION_ERROR", "Authentication required, not authenticated")
	}
	header, spent := s.spend()
	if spent {
		reply := refuse(http.StatusBadRequest, "RATELIMITED", "Rate limit exceeded")
		reply.Header = header
		return reply
	}
	var asked struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return refuse(http.StatusBadRequest, "GRAPHQL_PARSE_FAILED", err.Error())
	}
	answer := s.schema.Exec(context.WithoutCancel(r.Context()), asked.Query, "", asked.Variables)
	reply := fakeforge.OK(answer)
	if len(answer.Errors) > 0 && s.config.ErrorStatus != 0 {
		reply.Status = s.config.ErrorStatus
	}
	reply.Header = header
	return reply
}

func refuse(status int, code, message string) fakeforge.Reply {
	return fakeforge.Reply{Status: status, Body: map[string]any{"errors": []any{map[string]any{
		"message": message, "extensions": map[string]any{"code": code, "type": "error", "userPresentableMessage": message},
	}}}}
}

// Errors is an answer that has errors[], for a Fault.
func Errors(code, message string) any { return refuse(0, code, message).Body }

// spend counts a call, and returns the headers that tell what is left.
func (s *Server) spend() (header http.Header, spent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.config.Remaining == 0 {
		return nil, false
	}
	spent = s.left == 0
	s.left = max(0, s.left-1)
	return http.Header{
		"X-Ratelimit-Requests-Limit":     {strconv.Itoa(s.config.Remaining)},
		"X-Ratelimit-Requests-Remaining": {strconv.Itoa(s.left)},
		"X-Ratelimit-Requests-Reset":     {strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)},
	}, spent
}

// AddIssue makes an issue of an identifier, and returns its id.
func (s *Server) AddIssue(identifier string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := newID()
	s.issues[identifier] = id
	return id
}

// Comments returns the comments of an issue, oldest first.
func (s *Server) Comments(identifier string) []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.comments), func(c Comment) bool { return c.Issue != identifier })
}
