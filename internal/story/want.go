package story

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// Rows are the wanted rows of a table, by key: the columns that matter.
type Rows map[string]map[string]any

// Want is want.yaml: what must be true at the end. What it does not name is not
// looked at.
type Want struct {
	// Verdicts by the delivery's file name without .http.
	Verdicts Verdicts `yaml:"verdicts"`
	// The tables. Columns that are not named may be anything. Where a key has a
	// pull request's or a commit's in it, acme/api#7 and acme/api@sha do too. A
	// table with two sections may have either.
	PullRequest       Rows `yaml:"pull_request"`
	Comment           Rows `yaml:"comment"`
	Review            Rows `yaml:"review"` // by the pull request's key, a slash, the review's id
	PullRequestReview Rows `yaml:"pull_request_review"`
	Thread            Rows `yaml:"thread"` // likewise
	ReviewThread      Rows `yaml:"review_thread"`
	Check             Rows `yaml:"check"` // by the commit's key, a slash, the name; or kind/app/name
	CommitCheck       Rows `yaml:"commit_check"`
	Commit            Rows `yaml:"commit"`
	CommitRollup      Rows `yaml:"commit_rollup"`
	Repository        Rows `yaml:"repository"` // also by its full name
	StatusComponent   Rows `yaml:"status_component"`
	StatusIncident    Rows `yaml:"status_incident"`
	// Link lists the targets that a pull request names, all of them.
	Link      map[string][]string `yaml:"link"`
	IssueLink map[string][]string `yaml:"issue_link"`
	// Transitions of an entity, all of them, in order.
	Transitions map[string][]schemas.Kind `yaml:"transitions"`
	// Decisions that were made; there may be others.
	Decisions []WantDecision `yaml:"decisions"`
	// Mutations, all that are planned once all delays have run out, in any order;
	// each names the fields that matter. Nil is not looked at, an empty list means
	// none. With state: cancelled, skipped or dead one that was given up; there may
	// be others.
	Mutations []map[string]any `yaml:"mutations"`
	// Orders is false where the written order is the point of the story.
	Orders *bool `yaml:"orders"`
}

// Verdicts are by name as it is written: 01 is no number.
type Verdicts map[string]schemas.Verdict

// UnmarshalYAML reads the names before YAML makes numbers of them.
func (v *Verdicts) UnmarshalYAML(node ast.Node) error {
	entries, ok := node.(ast.MapNode)
	if !ok {
		return fmt.Errorf("verdicts: want a map of names to verdicts, got %s", node.Type())
	}
	*v = make(Verdicts)
	for each := entries.MapRange(); each.Next(); {
		var verdict schemas.Verdict
		if err := yaml.NodeToValue(each.Value(), &verdict); err != nil {
			return err
		}
		(*v)[each.Key().GetToken().Value] = verdict
	}
	return nil
}

// WantDecision is a decision that must have been made. What is empty may be
// anything; of the reason a part is enough.
type WantDecision struct {
	Entity  string        `yaml:"entity" json:"entity,omitempty"`
	Rule    string        `yaml:"rule" json:"rule,omitempty"`
	Outcome rules.Outcome `yaml:"outcome" json:"outcome,omitempty"`
	Reason  string        `yaml:"reason" json:"reason,omitempty"`
}

func parseWant(data []byte) (Want, error) {
	var want Want
	if len(bytes.TrimSpace(data)) == 0 {
		return want, nil
	}
	err := yaml.UnmarshalWithOptions(data, &want, yaml.Strict())
	return want, err
}

// OrderMatters reports whether the story says that its order is the point.
func (w Want) OrderMatters() bool { return w.Orders != nil && !*w.Orders }
