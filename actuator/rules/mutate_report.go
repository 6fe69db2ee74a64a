package rules

import (
	"fmt"
	"slices"
	"strings"

	"pawl/schemas"
)

// Words and lengths that providers take.
var (
	runStatuses    = []string{"queued", "in_progress", runCompleted}
	runConclusions = []string{"action_required", "cancelled", "failure", "neutral", "skipped", "success", "timed_out"}
	statusStates   = []string{"error", "failure", "pending", "success"}
)

const (
	runCompleted      = "completed"
	descriptionLimit  = 140
	conclusionMissing = "a completed check run has a conclusion: %s"
)

// checkRunParams: report a check run on the head that was decided about.
type checkRunParams struct {
	Name       template  `json:"name"`
	Status     *template `json:"status,omitempty"` // completed if there is a conclusion
	Conclusion *template `json:"conclusion,omitempty"`
	Title      *template `json:"title,omitempty"`
	Summary    *template `json:"summary,omitempty"`
	DetailsURL *template `json:"details_url,omitempty"`
}

func checkCheckRun(c mutationChecker, e entry) params {
	f, ok := c.fields(e, "name", "status", "conclusion", "title", "summary", "details_url")
	if !ok {
		return nil
	}
	p := checkRunParams{
		f.required("name"), f.optional("status"), f.optional("conclusion"), f.optional("title"), f.optional("summary"), f.optional("details_url"),
	}
	f.word("status", p.Status, runStatuses)
	f.word("conclusion", p.Conclusion, runConclusions)
	f.link("details_url", p.DetailsURL)
	f.checkConclusion(p)
	if f.has("summary") && !f.has("title") {
		f.fault(f.keys["summary"].at, "check_run: a summary needs a title")
	}
	return p
}

// checkConclusion: a run has a conclusion exactly when it is completed.
func (f fields) checkConclusion(p checkRunParams) {
	if p.Status == nil {
		if p.Conclusion == nil {
			f.fault(f.at, "check_run: status or conclusion is missing")
		}
		return
	}
	status, known := p.Status.literal()
	switch {
	case known && status == runCompleted && p.Conclusion == nil:
		f.fault(f.keys["status"].at, "check_run: "+conclusionMissing, strings.Join(runConclusions, ", "))
	case known && slices.Contains(runStatuses, status) && status != runCompleted && p.Conclusion != nil:
		f.fault(f.keys["conclusion"].at, "check_run: a conclusion needs status completed, and it is %s", status)
	case !known && p.Conclusion != nil && p.Conclusion.isLiteral():
		f.fault(f.keys["conclusion"].at, "check_run: a conclusion that is always there needs status completed")
	}
}

func (t template) isLiteral() bool {
	_, ok := t.literal()
	return ok
}

// render leaves a conclusion of which nothing is left out.
func (p checkRunParams) render(v *variables) (any, error) {
	made := struct {
		Name       string `json:"name"`
		SHA        string `json:"sha"`
		Status     string `json:"status"`
		Conclusion string `json:"conclusion,omitempty"`
		Title      string `json:"title,omitempty"`
		Summary    string `json:"summary,omitempty"`
		DetailsURL string `json:"details_url,omitempty"`
	}{Status: runCompleted}
	var err error
	if made.SHA, err = v.headSHA(); err != nil {
		return nil, fmt.Errorf("%s: %w", schemas.MutateCheckRun, err)
	}
	if made.Name, err = p.Name.renderedLine(v, "check_run.name"); err != nil {
		return nil, err
	}
	if made.Status, made.Conclusion, err = p.renderConclusion(v); err != nil {
		return nil, err
	}
	if made.Title, err = renderOptional("check_run.title", p.Title, v); err != nil {
		return nil, err
	}
	if made.Summary, err = renderOptional("check_run.summary", p.Summary, v); err != nil {
		return nil, err
	}
	made.Summary = cut(made.Summary, textLimit)
	made.DetailsURL, err = renderLink("check_run.details_url", p.DetailsURL, v)
	return made, err
}

func (p checkRunParams) renderConclusion(v *variables) (status, conclusion string, err error) {
	status = runCompleted
	if p.Status != nil {
		if status, err = p.Status.renderedWord(v, "check_run.status", runStatuses); err != nil {
			return "", "", err
		}
	}
	if conclusion, err = renderOptional("check_run.conclusion", p.Conclusion, v); err != nil {
		return "", "", err
	}
	switch {
	case status == runCompleted && !slices.Contains(runConclusions, conclusion):
		return "", "", fmt.Errorf("check_run.conclusion: %q is none of %s", cut(conclusion, valueWidth), strings.Join(runConclusions, ", "))
	case status != runCompleted && conclusion != "":
		return "", "", fmt.Errorf("check_run.conclusion: %q needs status completed, and it is %s", cut(conclusion, valueWidth), status)
	}
	return status, conclusion, nil
}

// commitStatusParams: report a commit status on the head that was decided about.
type commitStatusParams struct {
	Context     template  `json:"context"`
	State       template  `json:"state"`
	Description *template `json:"description,omitempty"`
	TargetURL   *template `json:"target_url,omitempty"`
}

func checkCommitStatus(c mutationChecker, e entry) params {
	f, ok := c.fields(e, "context", "state", "description", "target_url")
	if !ok {
		return nil
	}
	p := commitStatusParams{f.required("context"), f.required("state"), f.optional("description"), f.optional("target_url")}
	f.word("state", &p.State, statusStates)
	f.link("target_url", p.TargetURL)
	if p.Description != nil {
		if text, ok := p.Description.literal(); ok && len([]rune(text)) > descriptionLimit {
			f.fault(f.place(f.keys["description"]), "commit_status.description: %d characters, a status takes %d", len([]rune(text)), descriptionLimit)
		}
	}
	return p
}

// render cuts a description that became too long: a status without its end
// says more than none.
func (p commitStatusParams) render(v *variables) (any, error) {
	made := struct {
		Context     string `json:"context"`
		SHA         string `json:"sha"`
		State       string `json:"state"`
		Description string `json:"description,omitempty"`
		TargetURL   string `json:"target_url,omitempty"`
	}{}
	var err error
	if made.SHA, err = v.headSHA(); err != nil {
		return nil, fmt.Errorf("%s: %w", schemas.MutateCommitStatus, err)
	}
	if made.Context, err = p.Context.renderedLine(v, "commit_status.context"); err != nil {
		return nil, err
	}
	if made.State, err = p.State.renderedWord(v, "commit_status.state", statusStates); err != nil {
		return nil, err
	}
	if made.Description, err = renderOptional("commit_status.description", p.Description, v); err != nil {
		return nil, err
	}
	made.Description = cut(made.Description, descriptionLimit)
	made.TargetURL, err = renderLink("commit_status.target_url", p.TargetURL, v)
	return made, err
}
