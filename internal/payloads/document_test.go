package payloads_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/payloads"
	"pawl/schemas"
)

func outcomes() []payloads.Outcome {
	return []payloads.Outcome{
		{Name: "github/a/2.json", Event: "pull_request", Action: "opened", Verdict: schemas.Applied, Into: []string{"link", "pull_request"}},
		{Name: "github/a/1.json", Event: "pull_request", Action: "closed", Verdict: schemas.Applied, Into: []string{"link", "pull_request"}},
		{Name: "github/a/3.json", Event: "push", Verdict: schemas.Ignored, Reason: "push is a|b"},
		{Name: "github/a/4.json", Event: "status", Verdict: schemas.Dead, Reason: "sha is missing"},
		{Name: "github/a/5.json", Event: "status", Verdict: schemas.Dead, Reason: "id is missing"},
		{Name: "gitea/a/1.json", Event: "push", Verdict: schemas.Ignored, Reason: "no"},
	}
}

func TestTable_CountsWhatEndedTheSameWay(t *testing.T) {
	t.Parallel()
	want := `| event | actions | verdict | folded into | files |
|---|---|---|---|---|
| ` + "`pull_request`" + ` | closed, opened | applied | link, pull_request | 2 |
| ` + "`push`" + ` |  | ignored | ignored: push is a\|b | 1 |
| ` + "`status`" + ` |  | dead | dead letter, see below | 2 |
`
	if diff := cmp.Diff(payloads.Table(payloads.GitHub, outcomes()), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}

func TestDocument_IsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	want := payloads.Document(outcomes(), []string{"linear/a.json", "linear/b.json"})
	turned := outcomes()
	slices.Reverse(turned)
	if diff := cmp.Diff(payloads.Document(turned, []string{"linear/b.json", "linear/a.json"}), want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
	for _, line := range []string{"## GitHub, 5 files", "## Gitea, 1 file\n", "## Bitbucket Cloud, 0 files", "| `github/a/4.json` |", "- `linear/b.json`"} {
		if !strings.Contains(want, line) {
			t.Errorf("the document lacks %q", line)
		}
	}
}
