package payloads

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pawl/schemas"
)

// titles are the forges as people call them.
//
//nolint:gochecknoglobals // a constant table; Go has no constant maps
var titles = map[Forge]string{
	GitHub: "GitHub", GitLab: "GitLab", Gitea: "Gitea", Bitbucket: "Bitbucket Cloud", BitbucketServer: "Bitbucket Data Center",
	Statuspage: "Atlassian Statuspage", Linear: "Linear",
}

const preface = `# What becomes of real payloads

Made by ` + "`make payloads`" + `, not by hand. %d real payloads of webhooks, collected from the tests of public projects, lie beside the
project and are no part of it. %d of them are sent through the real edge over HTTP, signed as their provider signs or with
the token in the path, into a log, and are folded by the real projector into PostgreSQL. This page says what became of each. A test holds it against the
code wherever the payloads are at hand.

Each file is sent to a source of its own, with an instance of its own. So each has keys and rows that no other file
touches, and its verdict is that of a first delivery. The bodies are sent as they are. Event and headers are derived
from folder, name and body: package ` + "`internal/payloads`" + `.

The same files hold in three more ways, of which no table is made:

- Sent again under the same ids, each is a ` + "`duplicate`" + `, and no row changes. What is dead is dead again: a dead letter
  that is appended again is folded again.
- Sent in shuffled order into the rows of one instance, none is dead that is not dead alone.
- No secret is in a record or a row: not the one that signs, no signature, no token, not the one that old versions
  of Gitea put into the body, and not the address by which one unsubscribes from a status page.

"Folded into" names the tables that have a row from this file alone: pull_request, review (` + "`pull_request_review`" + `), thread
(` + "`review_thread`" + `), comment, check (` + "`commit_check`" + `), merge group (in ` + "`commit_rollup`" + `), repository, link (` + "`issue_link`" + `),
component (` + "`status_component`" + `), incident (` + "`status_incident`" + `).
`

// Document returns docs/payloads.md: the same for the same outcomes, in whatever
// order they come. Unsent are the names of the samples that no provider reads.
func Document(outcomes []Outcome, unsent []string) string {
	var text strings.Builder
	fmt.Fprintf(&text, preface, len(outcomes)+len(unsent), len(outcomes))
	for _, forge := range Forges() {
		files := 0
		for _, outcome := range outcomes {
			if outcome.Forge() == forge {
				files++
			}
		}
		fmt.Fprintf(&text, "\n## %s, %s\n\n%s", titles[forge], count(files), Table(forge, outcomes))
	}
	text.WriteString("\n## Dead\n\nThese cannot be decoded, and are dead letters.\n\n| file | why | reason of the dead letter |\n|---|---|---|\n")
	for _, outcome := range sorted(outcomes) {
		if outcome.Verdict == schemas.Dead {
			fmt.Fprintf(&text, "| `%s` | %s | %s |\n", outcome.Name, cell(Undecodable[outcome.Name].Why), cell(outcome.Reason))
		}
	}
	if len(unsent) > 0 {
		text.WriteString("\n## Not sent\n\nThese have no provider yet.\n\n")
	}
	for _, name := range slices.Sorted(slices.Values(unsent)) {
		fmt.Fprintf(&text, "- `%s`\n", name)
	}
	return text.String()
}

func count(files int) string {
	if files == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", files)
}

func sorted(outcomes []Outcome) []Outcome {
	return slices.SortedFunc(slices.Values(outcomes), func(a, b Outcome) int { return cmp.Compare(a.Name, b.Name) })
}
