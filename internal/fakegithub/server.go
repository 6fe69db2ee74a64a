package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config says whom the fake takes its callers for and whom it tells of changes.
type Config struct {
	// Token is what callers must carry; empty takes any or none.
	Token string
	// Login is the account behind the token; empty is "pawl[bot]", and with an
	// App always "<slug>[bot]".
	Login string
	// App has callers authenticate as an App and its installations; nil does not.
	App *App
	// Webhook is called for every change, after it was applied and before the
	// caller has the answer, as GitHub may do. It may call the server.
	Webhook func(Webhook)
	// Now is the clock; nil is one that moves by a second with each change.
	Now func() time.Time
}

// Server is a fake GitHub. It is an http.Handler and safe for concurrent use.
type Server struct {
	config Config
	mux    *http.ServeMux

	mu           sync.Mutex // mu guards what follows
	clock        time.Time
	repositories map[string]*repository
	nextID       int64 // of comments, reviews, check runs and statuses
	nextDelivery int64
	effects      []Effect
	calls        []Call
	faults       []*Fault
	webhooks     []Webhook // of the change that is being applied

	installations map[int64]*installation
	tokens        map[string]*installation
	denied        map[string]bool       // permissions
	allowances    map[string]*allowance // by credential
}

// Effect is one change of what the provider shows.
type Effect struct {
	Kind       EffectKind
	Repository string
	Number     int
	By         string // login
	// Detail is the label, the comment's body, or the sha that was merged.
	Detail string
}

// EffectKind is a kind of change.
type EffectKind string

// The kinds of effects.
const (
	Opened         EffectKind = "opened"
	Closed         EffectKind = "closed"
	Reopened       EffectKind = "reopened"
	Merged         EffectKind = "merged"
	Pushed         EffectKind = "pushed"
	Edited         EffectKind = "edited"
	Labeled        EffectKind = "labeled"
	Unlabeled      EffectKind = "unlabeled"
	CommentCreated EffectKind = "comment_created"
	CommentDeleted EffectKind = "comment_deleted"
	CommentEdited  EffectKind = "comment_edited"

	ReviewRequested  EffectKind = "review_requested"
	Reviewed         EffectKind = "reviewed"
	ReviewDismissed  EffectKind = "review_dismissed"
	CheckRunCreated  EffectKind = "check_run_created"
	CheckRunUpdated  EffectKind = "check_run_updated"
	StatusCreated    EffectKind = "status_created"
	BranchUpdated    EffectKind = "branch_updated"
	Enqueued         EffectKind = "enqueued"
	AutoMergeEnabled EffectKind = "auto_merge_enabled"
)

// Call is one HTTP request that reached the server.
type Call struct {
	Method string
	Path   string
	Status int // 0 where the connection was dropped
	At     time.Time
	// Credential is TokenCredential, AppCredential, or an installation's.
	Credential string
}

type repository struct {
	id          int64
	name        string
	pulls       map[int]*pull
	commits     map[string]*commit
	queue       bool // the base branch demands a merge queue
	noAutoMerge bool
}

type pull struct {
	PullRequest
	comments []Comment
	reviews  []Review
	people   []string // requested reviewers
	teams    []string
}

// New returns a server without repositories.
func New(config Config) *Server {
	if config.Login == "" {
		config.Login = "pawl[bot]"
	}
	if config.App != nil {
		config.Login = config.App.Slug + "[bot]"
	}
	s := &Server{
		config:        config,
		mux:           http.NewServeMux(),
		clock:         time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		repositories:  make(map[string]*repository),
		nextID:        1000,
		installations: make(map[int64]*installation),
		tokens:        make(map[string]*installation),
		denied:        make(map[string]bool),
		allowances:    make(map[string]*allowance),
	}
	for _, r := range s.routes() {
		s.route(r)
	}
	return s
}

// reply is an answer that was not sent yet: a fault may still swallow it.
type reply struct {
	status int
	header http.Header
	body   any // nil is no body
}

// route registers a handler that runs under the lock.
func (s *Server) route(to route) {
	s.mux.HandleFunc(to.pattern, func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, to)
	})
}

// ServeHTTP implements http.Handler. A path may stand under /api/v3, and that
// of GraphQL under /api, as on GitHub Enterprise Server.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.StripPrefix(enterprisePrefix(r.URL.Path), s.mux).ServeHTTP(w, r)
}

func enterprisePrefix(path string) string {
	for _, prefix := range []string{"/api/v3", "/api"} {
		if strings.HasPrefix(path, prefix+"/") {
			return prefix
		}
	}
	return ""
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, to route) {
	credential, refusal := s.admit(r, to)
	r = r.WithContext(withCredential(r.Context(), credential))
	if refusal != nil {
		s.answer(w, r, *refusal)
		return
	}
	fault := s.takeFault(r)
	if fault != nil && !fault.AfterApplying {
		s.strike(w, r, fault, nil)
		if !fault.passes() {
			return
		}
		fault = nil
	}
	answer := s.apply(func() reply { return to.handle(r) })
	if fault != nil {
		s.strike(w, r, fault, &answer)
		return
	}
	s.answer(w, r, answer)
}

// apply runs a change under the lock and tells of it afterwards.
func (s *Server) apply(change func() reply) reply {
	s.mu.Lock()
	answer := change()
	webhooks := s.webhooks
	s.webhooks = nil
	s.mu.Unlock()
	if s.config.Webhook != nil {
		for _, webhook := range webhooks {
			s.config.Webhook(webhook)
		}
	}
	return answer
}

// answer writes a reply with the headers of the primary limit.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, answer reply) {
	s.mu.Lock()
	s.called(r, answer.status)
	header := w.Header()
	s.limitHeaders(r, header)
	s.mu.Unlock()
	for name, values := range answer.header {
		header[name] = slices.Clone(values)
	}
	if answer.body == nil {
		w.WriteHeader(answer.status)
		return
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(answer.status)
	_ = json.NewEncoder(w).Encode(answer.body)
}

func failure(status int, message string) reply {
	return reply{status: status, body: map[string]string{
		"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status),
	}}
}

func notFound() reply { return failure(http.StatusNotFound, "Not Found") }

func (s *Server) getUser(*http.Request) reply {
	return reply{status: http.StatusOK, body: renderUser(s.config.Login)}
}

// find returns the pull request that a request's path names.
func (s *Server) find(r *http.Request) (*repository, *pull) {
	repo := s.repositories[r.PathValue("owner")+"/"+r.PathValue("repo")]
	if repo == nil {
		return nil, nil
	}
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return repo, nil
	}
	return repo, repo.pulls[number]
}

func (s *Server) mustFind(repo string, number int) (*repository, *pull) {
	found := s.repositories[repo]
	if found == nil || found.pulls[number] == nil {
		panic(fmt.Sprintf("fakegithub: no pull request %s#%d", repo, number))
	}
	return found, found.pulls[number]
}

// tick moves the clock to the time of a change.
func (s *Server) tick() time.Time {
	if s.config.Now != nil {
		s.clock = s.config.Now().UTC().Truncate(time.Second)
	} else {
		s.clock = s.clock.Add(time.Second)
	}
	return s.clock
}

// changed records an effect on a pull request and moves its updated_at.
func (s *Server) changed(repo *repository, pr *pull, kind EffectKind, by, detail string) {
	pr.UpdatedAt = s.tick()
	s.effects = append(s.effects, Effect{Kind: kind, Repository: repo.name, Number: pr.Number, By: by, Detail: detail})
}

// Effects returns every change, in order.
func (s *Server) Effects() []Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.effects)
}

// EffectsBy returns the changes that one account made, in order.
func (s *Server) EffectsBy(login string) []Effect {
	return slices.DeleteFunc(s.Effects(), func(e Effect) bool { return e.By != login })
}

// called notes a request that was answered, or dropped with status 0.
func (s *Server) called(r *http.Request, status int) {
	s.calls = append(s.calls, Call{
		Method: r.Method, Path: r.URL.Path, Status: status, At: time.Now(), Credential: credentialOf(r.Context()),
	})
}

// Calls returns every request that was answered or dropped, in order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}
