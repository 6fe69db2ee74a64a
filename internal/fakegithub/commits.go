package fakegithub

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// commit is what stands at a sha.
type commit struct {
	sha      string
	parents  []string
	runs     []CheckRun
	statuses []Status // oldest first
}

// CheckRun is a check run of the App.
type CheckRun struct {
	ID         int64
	ExternalID string
	Name       string
	HeadSHA    string
	Status     string
	Conclusion string
	Title      string
	Summary    string
	DetailsURL string
}

// commit returns the commit of a sha, a new one without parents where it was
// never heard of.
func (r *repository) commit(sha string) *commit {
	if r.commits[sha] == nil {
		r.commits[sha] = &commit{sha: sha}
	}
	return r.commits[sha]
}

func (s *Server) move(repo *repository, pr *pull, sha string) {
	pr.HeadSHA, pr.Queued = sha, false // a push takes it out of the queue
	repo.commit(sha)
}

func (s *Server) findCommit(r *http.Request) (*repository, *commit) {
	repo, _ := s.find(r)
	if repo == nil {
		return nil, nil
	}
	return repo, repo.commits[r.PathValue("sha")]
}

func (s *Server) getCommit(r *http.Request) reply {
	_, found := s.findCommit(r)
	if found == nil {
		return failure(http.StatusUnprocessableEntity, "No commit found for SHA: "+r.PathValue("sha"))
	}
	parents := make([]object, 0, len(found.parents))
	for _, sha := range found.parents {
		parents = append(parents, object{"sha": sha})
	}
	return reply{status: http.StatusOK, body: object{"sha": found.sha, "parents": parents}}
}

// putUpdateBranch merges the base into the head. GitHub does it later; the fake
// has done it when it answers, and the answer is the same 202.
func (s *Server) putUpdateBranch(r *http.Request) reply {
	repo, pr := s.find(r)
	if pr == nil {
		return notFound()
	}
	var wanted struct {
		Expected string `json:"expected_head_sha"`
	}
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	switch {
	case wanted.Expected != "" && wanted.Expected != pr.HeadSHA:
		return failure(http.StatusUnprocessableEntity, "expected head sha didn’t match current head ref.")
	case !pr.Behind:
		return failure(http.StatusUnprocessableEntity, "There are no new commits on the base branch.")
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s into %s", pr.BaseSHA, pr.HeadSHA))
	before := pr.HeadSHA
	s.move(repo, pr, hex.EncodeToString(sum[:20]))
	repo.commit(pr.HeadSHA).parents = []string{before, pr.BaseSHA}
	pr.Behind = false
	s.changed(repo, pr, BranchUpdated, s.config.Login, pr.HeadSHA)
	s.tellPull(repo, pr, "synchronize", s.config.Login, "")
	return reply{status: http.StatusAccepted, body: object{"message": "Updating pull request branch.", "url": "https://github.com/" + repo.name}}
}

// listCheckRuns lists the newest run of each name, or with filter=all all of
// them; newest first.
func (s *Server) listCheckRuns(r *http.Request) reply {
	_, found := s.findCommit(r)
	if found == nil {
		return failure(http.StatusUnprocessableEntity, "No commit found for SHA: "+r.PathValue("sha"))
	}
	name, all := r.URL.Query().Get("check_name"), r.URL.Query().Get("filter") == "all"
	var runs []CheckRun
	seen := make(map[string]bool)
	for _, run := range slices.Backward(found.runs) {
		if (name != "" && run.Name != name) || (!all && seen[run.Name]) {
			continue
		}
		seen[run.Name] = true
		runs = append(runs, run)
	}
	shown, header := page(r, runs)
	body := make([]object, 0, len(shown))
	for _, run := range shown {
		body = append(body, renderCheckRun(run))
	}
	return reply{status: http.StatusOK, header: header, body: object{"total_count": len(runs), "check_runs": body}}
}

type wantedRun struct {
	Name       string
	HeadSHA    string `json:"head_sha"`
	ExternalID string `json:"external_id"`
	Status     string
	Conclusion string
	DetailsURL string `json:"details_url"`
	Output     *struct{ Title, Summary string }
}

// fill takes over what was given. It returns why it may not be.
func (w wantedRun) fill(run *CheckRun) string {
	for to, given := range map[*string]string{
		&run.Name: w.Name, &run.HeadSHA: w.HeadSHA, &run.ExternalID: w.ExternalID, &run.DetailsURL: w.DetailsURL, &run.Status: w.Status,
	} {
		if given != "" {
			*to = given
		}
	}
	run.Conclusion = w.Conclusion
	if w.Conclusion != "" {
		run.Status = "completed"
	}
	if w.Output != nil {
		if w.Output.Title == "" || w.Output.Summary == "" {
			return "output needs a title and a summary"
		}
		run.Title, run.Summary = w.Output.Title, w.Output.Summary
	}
	if run.Status == "completed" && run.Conclusion == "" {
		return "conclusion is missing"
	}
	return ""
}

// postCheckRun makes a run even where one of that external id is there: GitHub
// does not compare it.
func (s *Server) postCheckRun(r *http.Request) reply {
	repo, _ := s.find(r)
	if repo == nil {
		return notFound()
	}
	var wanted wantedRun
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	found := repo.commits[wanted.HeadSHA]
	if found == nil {
		return failure(http.StatusUnprocessableEntity, "No commit found for SHA: "+wanted.HeadSHA)
	}
	run := CheckRun{Status: "queued"}
	if why := wanted.fill(&run); why != "" {
		return invalid(why)
	}
	run.ID = s.id()
	found.runs = append(found.runs, run)
	s.commitChanged(repo, found.sha, CheckRunCreated, s.config.Login, run.Name)
	return reply{status: http.StatusCreated, body: renderCheckRun(run)}
}

func (s *Server) patchCheckRun(r *http.Request) reply {
	repo, _ := s.find(r)
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if repo == nil || err != nil {
		return notFound()
	}
	var wanted wantedRun
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		return failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	for _, found := range repo.commits {
		at := slices.IndexFunc(found.runs, func(run CheckRun) bool { return run.ID == id })
		if at < 0 {
			continue
		}
		run := found.runs[at]
		if why := wanted.fill(&run); why != "" {
			return invalid(why)
		}
		if run != found.runs[at] {
			found.runs[at] = run
			s.commitChanged(repo, found.sha, CheckRunUpdated, s.config.Login, run.Name)
		}
		return reply{status: http.StatusOK, body: renderCheckRun(run)}
	}
	return notFound()
}

// commitChanged records an effect on a commit, under the pull request whose head
// it is. It moves no updated_at, for no payload of a check carries one.
func (s *Server) commitChanged(repo *repository, sha string, kind EffectKind, by, detail string) {
	effect := Effect{Kind: kind, Repository: repo.name, By: by, Detail: detail}
	for number, pr := range repo.pulls {
		if pr.HeadSHA == sha {
			effect.Number = number
		}
	}
	s.effects = append(s.effects, effect)
}

// SetBehind says whether the base has commits that the head lacks.
func (s *Server) SetBehind(repo string, number int, behind bool) {
	s.person(repo, number, func(_ *repository, pr *pull) { pr.Behind = behind })
}

// CheckRuns returns all check runs of a sha, oldest first.
func (s *Server) CheckRuns(repo, sha string) []CheckRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.repositories[repo].commits[sha]
	if found == nil {
		return nil
	}
	return slices.Clone(found.runs)
}

func renderCheckRun(run CheckRun) object {
	return object{
		"id": run.ID, "external_id": run.ExternalID, "name": run.Name, "head_sha": run.HeadSHA, "status": run.Status,
		"conclusion": orNull(run.Conclusion), "details_url": orNull(run.DetailsURL),
		"output": object{"title": orNull(run.Title), "summary": orNull(run.Summary)},
	}
}
