package fakegitea

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"pawl/internal/fakeforge"
)

// Config says whom the fake takes its callers for.
type Config struct {
	// Token is what callers must carry; empty takes any or none.
	Token string
	// Login is the account behind the token; empty is "pawl".
	Login string
}

// Server is a fake Gitea with one repository. It is an http.Handler and safe for
// concurrent use.
type Server struct {
	fakeforge.Core
	config Config
	mux    *http.ServeMux

	mu        sync.Mutex // mu guards what follows
	id        int64
	name      string // owner/name
	pulls     map[int]*pull
	commits   map[string]*commit
	labels    []Label // of the repository
	orgLabels []Label
	powerless bool // the account may not merge, and is no administrator
}

// Label is a label that can be put on pull requests.
type Label struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type commit struct {
	pull     *pull
	parents  []string
	statuses []Status
}

type pull struct {
	PullRequest
	comments []Comment
	reviews  []Review
}

// The kinds of effects.
const (
	Opened           = "opened"
	Closed           = "closed"
	Reopened         = "reopened"
	Merged           = "merged"
	AutoMergeEnabled = "auto_merge_enabled"
	Pushed           = "pushed"
	BranchUpdated    = "branch_updated"
	Labeled          = "labeled"
	Unlabeled        = "unlabeled"
	CommentCreated   = "comment_created"
	CommentEdited    = "comment_edited"
	CommentDeleted   = "comment_deleted"
	ReviewRequested  = "review_requested"
	Reviewed         = "reviewed"
	ReviewDismissed  = "review_dismissed"
	StatusCreated    = "status_created"
)

// New returns a server with one repository: name is owner/name.
func New(config Config, id int64, name string) *Server {
	if config.Login == "" {
		config.Login = "pawl"
	}
	s := &Server{
		config: config, mux: http.NewServeMux(), id: id, name: name,
		pulls: make(map[int]*pull), commits: make(map[string]*commit),
	}
	const (
		one   = "/api/v1/repos/{owner}/{repo}"
		pr    = one + "/pulls/{number}"
		issue = one + "/issues/{number}"
	)
	for pattern, handle := range map[string]func(*http.Request) fakeforge.Reply{
		"GET /api/v1/user":                        s.getUser,
		"GET /api/v1/orgs/{owner}/labels":         s.listOrgLabels,
		"GET " + one + "/labels":                  s.listLabels,
		"GET " + pr:                               s.getPull,
		"PATCH " + pr:                             s.patchPull,
		"POST " + pr + "/merge":                   s.postMerge,
		"POST " + pr + "/update":                  s.postUpdate,
		"GET " + pr + "/reviews":                  s.listReviews,
		"POST " + pr + "/reviews":                 s.postReview,
		"POST " + pr + "/reviews/{id}/dismissals": s.postDismissal,
		"POST " + pr + "/requested_reviewers":     s.postRequest,
		"GET " + issue + "/comments":              s.listComments,
		"POST " + issue + "/comments":             s.postComment,
		"PATCH " + one + "/issues/comments/{id}":  s.patchComment,
		"DELETE " + one + "/issues/comments/{id}": s.deleteComment,
		"POST " + issue + "/labels":               s.postLabels,
		"DELETE " + issue + "/labels/{id}":        s.deleteLabel,
		"GET " + one + "/git/commits/{sha}":       s.getCommit,
		"GET " + one + "/commits/{sha}/statuses":  s.listStatuses,
		"POST " + one + "/statuses/{sha}":         s.postStatus,
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
		if s.config.Token != "" && r.Header.Get("Authorization") != "token "+s.config.Token {
			return fakeforge.Message(http.StatusUnauthorized, "invalid username, password or token")
		}
		if owner, repo := r.PathValue("owner"), r.PathValue("repo"); repo != "" && owner+"/"+repo != s.name {
			return notFound()
		}
		return handle(r)
	}
}

func notFound() fakeforge.Reply {
	return fakeforge.Message(http.StatusNotFound, "The target couldn't be found.")
}

func (s *Server) find(r *http.Request) *pull {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return nil
	}
	return s.pulls[number]
}

func (s *Server) mustFind(number int) *pull {
	if pr := s.pulls[number]; pr != nil {
		return pr
	}
	panic(fmt.Sprintf("fakegitea: no pull request %d", number))
}

func decode(r *http.Request, into any) error { return json.NewDecoder(r.Body).Decode(into) }

func (s *Server) record(kind string, pr *pull, by, detail string) time.Time {
	pr.UpdatedAt = s.Record(fakeforge.Effect{Kind: kind, Number: pr.Number, By: by, Detail: detail})
	return pr.UpdatedAt
}

func (s *Server) getUser(*http.Request) fakeforge.Reply { return fakeforge.OK(user(s.config.Login)) }

func user(login string) map[string]any { return map[string]any{"id": len(login), "login": login} }

// paged answers with one page and a Link header where there is another.
func paged[T any](r *http.Request, list []T, render func(T) any) fakeforge.Reply {
	page, next := fakeforge.Page(r, list, "limit")
	rendered := make([]any, 0, len(page))
	for _, one := range page {
		rendered = append(rendered, render(one))
	}
	answer := fakeforge.OK(rendered)
	if next > 0 {
		answer.Header = http.Header{"Link": {fmt.Sprintf(`<http://%s%s?page=%d>; rel="next"`, r.Host, r.URL.Path, next)}}
	}
	return answer
}
