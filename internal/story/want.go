package story

import (
	"bytes"

	"github.com/goccy/go-yaml"

	"pawl/schemas"
)

// Want is want.yaml: what must be true at the end. What it does not name is not
// looked at.
type Want struct {
	// Verdicts by the delivery's file name without .http.
	Verdicts map[string]schemas.Verdict `yaml:"verdicts"`
	// PullRequest and Comment name columns of rows; other columns may be
	// anything. A key may also be acme/api#7.
	PullRequest map[string]map[string]any `yaml:"pull_request"`
	Comment     map[string]map[string]any `yaml:"comment"`
	// Transitions of an entity, all of them, in order.
	Transitions map[string][]schemas.Kind `yaml:"transitions"`
	// Mutations, all of them, in any order; each names the fields that matter.
	// Nil is not looked at, an empty list means none.
	Mutations []map[string]any `yaml:"mutations"`
	// Orders is false where the written order is the point of the story.
	Orders *bool `yaml:"orders"`
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
