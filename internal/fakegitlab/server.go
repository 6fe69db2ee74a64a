package fakegitlab

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"pawl/internal/fakeforge"
)

// Config says whom the fake takes its callers for.
type Config struct {
	// Token is what callers must carry; empty takes any or none.
	Token string
	// Login is the account behind the token; empty is "pawl".
	Login string
}

// Server is a fake GitLab. It is an http.Handler and safe for concurrent use.
type Server struct {
	fakeforge.Core
	config Config
	mux    *http.ServeMux

	mu       sync.Mutex // mu guards what follows
	projects map[int64]*project
	users    map[string]int64
	// readOnly is a token with scope read_api; powerless an account that may
	// neither merge nor approve; singleReviewer is the free tier.
	readOnly, powerless, singleReviewer bool
}

type project struct {
	id       int64
	path     string
	requests map[int]*request
	commits  map[string]*request // those that are, or were, a head
	statuses []Status
}

type request struct {
	MergeRequest
	notes     []Note
	approvals []string // logins
	reviewers []string
}

// The kinds of effects.
const (
	Opened           = "opened"
	Closed           = "closed"
	Reopened         = "reopened"
	Merged           = "merged"
	AutoMergeEnabled = "auto_merge_enabled"
	Pushed           = "pushed"
	Labeled          = "labeled"
	Unlabeled        = "unlabeled"
	NoteCreated      = "note_created"
	NoteEdited       = "note_edited"
	NoteDeleted      = "note_deleted"
	QuickAction      = "quick_action"
	ReviewRequested  = "review_requested"
	Approved         = "approved"
	StatusCreated    = "status_created"
	StatusChanged    = "status_changed"
)

// New returns a server without projects.
func New(config Config) *Server {
	if config.Login == "" {
		config.Login = "pawl"
	}
	s := &Server{config: config, mux: http.NewServeMux(), projects: make(map[int64]*project), users: make(map[string]int64)}
	s.userID(config.Login)
	const (
		one = "/api/v4/projects/{id}"
		mr  = one + "/merge_requests/{iid}"
	)
	for pattern, handle := range map[string]func(*http.Request) fakeforge.Reply{
		"GET /api/v4/user":                                  s.getUser,
		"GET /api/v4/users":                                 s.listUsers,
		"GET " + mr:                                         s.getRequest,
		"PUT " + mr:                                         s.putRequest,
		"PUT " + mr + "/merge":                              s.putMerge,
		"GET " + mr + "/notes":                              s.listNotes,
		"POST " + mr + "/notes":                             s.postNote,
		"PUT " + mr + "/notes/{note}":                       s.putNote,
		"DELETE " + mr + "/notes/{note}":                    s.deleteNote,
		"GET " + mr + "/approvals":                          s.getApprovals,
		"POST " + mr + "/approve":                           s.postApprove,
		"GET " + one + "/repository/commits/{sha}/statuses": s.listStatuses,
		"POST " + one + "/statuses/{sha}":                   s.postStatus,
	} {
		s.mux.HandleFunc(pattern, s.Handle(s.admit(handle)))
	}
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// admit runs a handler under the lock, for callers who may call.
func (s *Server) admit(handle func(*http.Request) fakeforge.Reply) func(*http.Request) fakeforge.Reply {
	return func(r *http.Request) fakeforge.Reply {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.config.Token != "" && r.Header.Get("Private-Token") != s.config.Token {
			return fakeforge.Message(http.StatusUnauthorized, "401 Unauthorized")
		}
		if s.readOnly && r.Method != http.MethodGet {
			return fakeforge.Reply{Status: http.StatusForbidden, Body: map[string]string{
				"error": "insufficient_scope", "error_description": "The request requires higher privileges than provided by the access token.", "scope": "api",
			}}
		}
		return handle(r)
	}
}

func notFound(what string) fakeforge.Reply {
	return fakeforge.Message(http.StatusNotFound, "404 "+what+" Not Found")
}

// findProject takes the id of a project or its path.
func (s *Server) findProject(r *http.Request) *project {
	name := r.PathValue("id")
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		return s.projects[id]
	}
	for _, p := range s.projects {
		if p.path == name {
			return p
		}
	}
	return nil
}

func (s *Server) find(r *http.Request) (*project, *request) {
	p := s.findProject(r)
	iid, err := strconv.Atoi(r.PathValue("iid"))
	if p == nil || err != nil {
		return nil, nil
	}
	return p, p.requests[iid]
}

func decode(r *http.Request, into any) error { return json.NewDecoder(r.Body).Decode(into) }

// record notes a change of a merge request.
func (s *Server) record(kind string, mr *request, by, detail string) {
	mr.UpdatedAt = s.Record(fakeforge.Effect{Kind: kind, Number: mr.IID, By: by, Detail: detail})
}

// userID returns the id of an account, and makes one that is not there.
func (s *Server) userID(login string) int64 {
	if s.users[login] == 0 {
		s.users[login] = int64(len(s.users) + 1)
	}
	return s.users[login]
}

func (s *Server) getUser(*http.Request) fakeforge.Reply {
	return fakeforge.OK(s.user(s.config.Login))
}

func (s *Server) user(login string) map[string]any {
	return map[string]any{"id": s.userID(login), "username": login, "state": "active"}
}

func (s *Server) listUsers(r *http.Request) fakeforge.Reply {
	login := r.URL.Query().Get("username")
	if s.users[login] == 0 {
		return fakeforge.OK([]any{})
	}
	return fakeforge.OK([]any{s.user(login)})
}

func (s *Server) mustFind(id int64, iid int) *request {
	if p := s.projects[id]; p != nil && p.requests[iid] != nil {
		return p.requests[iid]
	}
	panic(fmt.Sprintf("fakegitlab: no merge request %d!%d", id, iid))
}
