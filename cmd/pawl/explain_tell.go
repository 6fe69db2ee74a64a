package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"pawl/schemas"
)

// print tells how things stand, and then the story in the order of folding: under
// each delivery what it changed, under each change what was decided, under each
// decision what was done.
func (e *explanation) print(out io.Writer, c palette) {
	fmt.Fprintf(out, "%s\n", c.bold(e.heading()))
	for _, note := range e.Notes {
		fmt.Fprintf(out, "  %s\n", c.yellow(note))
	}
	for _, line := range e.summary() {
		fmt.Fprintf(out, "  %s %s\n", c.dim(fmt.Sprintf("%-11s", line.name)), line.text)
	}
	for _, delivery := range e.Deliveries {
		e.printDelivery(out, c, delivery)
	}
}

func (e *explanation) printDelivery(out io.Writer, c palette, delivery toldDelivery) {
	about := ""
	if delivery.Entity != e.Key {
		about = " of " + delivery.Entity
	}
	fmt.Fprintf(out, "%s %s %s%s  %s%s\n", c.dim(fmt.Sprintf("%d/%d", delivery.Partition, delivery.Offset)),
		c.verdict(delivery.Verdict), delivery.Event, about, delivery.DeliveryID, c.dim(because(delivery.Reason)))
	for _, change := range e.Transitions {
		if change.Partition == delivery.Partition && change.Offset == delivery.Offset {
			e.printChange(out, c, change)
		}
	}
}

func (e *explanation) printChange(out io.Writer, c palette, change toldChange) {
	about := ""
	if change.Entity != e.Key {
		about = " of " + change.Entity
	}
	fmt.Fprintf(out, "      → %s%s  %s → %s\n", c.bold(change.Kind), about, short(change.From), short(change.To))
	for _, decision := range e.Decisions {
		if decision.TransitionID != change.ID {
			continue
		}
		about := ""
		if decision.Entity != e.Key && decision.Entity != change.Entity {
			about = " about " + decision.Entity
		}
		fmt.Fprintf(out, "          %s%s: %s%s\n", decision.Rule, about, decision.Outcome, c.dim(because(&decision.Reason)))
		if text := valuesText(decision.Values); text != "" {
			fmt.Fprintf(out, "            %s\n", c.dim(text))
		}
		for _, mutation := range e.Mutations {
			if mutation.TransitionID == change.ID && mutation.Rule == decision.Rule && mutation.Entity == decision.Entity {
				mutation.print(out, c, "            ")
			}
		}
	}
}

// heading names the entity as people do, with its state and its key.
func (e *explanation) heading() string {
	if row, ok := read[schemas.PullRequest](e.Row); ok {
		text := fmt.Sprintf("%s#%d  %s  %s", row.Repository, row.Number, row.State, e.Key)
		if row.NeedsRead {
			text += "  needs a read: " + row.NeedsReadReason
		}
		return text
	}
	if commit, ok := read[schemas.Commit](e.Commit); ok && commit.Repository != "" {
		return fmt.Sprintf("%s@%s  %s  %s", commit.Repository, commit.SHA[:min(len(commit.SHA), 12)], commit.State, e.Key)
	}
	if repository, ok := e.repository(); ok {
		return fmt.Sprintf("%s  %s  %s", repository.Repository, repository.State, e.Key)
	}
	if heading, ok := e.otherHeading(); ok {
		return heading
	}
	if e.Source != "" {
		return fmt.Sprintf("source %s of %s: what it refused", e.Source, e.Key)
	}
	return e.Key
}

// read decodes a row; one that is null is none.
func read[T any](row json.RawMessage) (T, bool) {
	var decoded T
	if len(row) == 0 || string(row) == "null" || json.Unmarshal(row, &decoded) != nil {
		return decoded, false
	}
	return decoded, true
}

// fact is a line of what the rows say.
type fact struct{ name, text string }

// summary says how things stand; what there is none of has no line.
func (e *explanation) summary() []fact {
	var facts []fact
	switch row, isPullRequest := read[schemas.PullRequest](e.Row); {
	case isPullRequest:
		facts = e.pullRequestFacts(row)
	case e.Commit != nil:
		facts = e.commitFacts()
	case e.Source != "" && len(e.Deliveries) == 0:
		facts = []fact{{"refused", "nothing, as far as the log says"}}
	default:
		facts = append(e.otherFacts(), e.repositoryFacts()...)
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.text == "" })
}

func (e *explanation) pullRequestFacts(row schemas.PullRequest) []fact {
	threads := ""
	if row.UnresolvedThreads > 0 {
		threads = fmt.Sprintf("%d unresolved", row.UnresolvedThreads)
	}
	return []fact{
		{"repository", e.repositoryText()},
		{"head", string(row.HeadCommit)},
		{"checks", checksText(row.ChecksState, row.Checks)},
		{"reviews", reviewsText(row)},
		{"threads", threads},
		{"links", linksText(e.Links)},
		{"merge queue", queueText(row)},
	}
}

func (e *explanation) commitFacts() []fact {
	commit, _ := read[schemas.Commit](e.Commit)
	all, _ := read[[]commitCheck](e.Checks)
	var checks []schemas.PullRequestCheck
	for _, check := range all {
		if check.Kind.Counts() {
			checks = append(checks, check.PullRequestCheck)
		}
	}
	heads := make([]string, len(e.PullRequests))
	for i, head := range e.PullRequests {
		heads[i] = fmt.Sprintf("%s#%d %s", head.Repository, head.Number, head.State)
	}
	return []fact{
		{"repository", e.repositoryText()},
		{"checks", checksText(commit.State, checks)},
		{"merge group", strings.Join(present(commit.MergeGroup, commit.MergeGroupReason, commit.MergeGroupRef), "  ")},
		{"head of", listed(heads)},
	}
}

// repositoryText says of the repository of a pull request or a commit that it is
// gone.
func (e *explanation) repositoryText() string {
	if repository, _ := read[schemas.Repository](e.Repository); repository.State == schemas.RepositoryGone {
		return "deleted"
	}
	return ""
}

// commitCheck is a row of commit_check, as far as it is told.
type commitCheck struct {
	Kind schemas.CheckKind `json:"kind"`
	schemas.PullRequestCheck
}

func (e *explanation) repositoryFacts() []fact {
	repository, _ := e.repository()
	counts, _ := read[map[string]int64](e.Counts)
	var texts []string
	for _, state := range []schemas.State{schemas.Open, schemas.Closed, schemas.Merged} {
		if count := counts[string(state)]; count > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", count, state))
		}
	}
	visible := ""
	if repository.Private {
		visible = "to its members only"
	}
	return []fact{{"visible", visible}, {"pull requests", strings.Join(texts, ", ")}}
}

// checksText names what fails and what is awaited, and counts the rest.
func checksText(state schemas.ChecksState, checks []schemas.PullRequestCheck) string {
	var failing, pending []string
	succeeded := 0
	for _, check := range checks {
		switch check.State {
		case schemas.ChecksFailure:
			failing = append(failing, strings.TrimSuffix(fmt.Sprintf("%s (%s)", check.Name, check.Conclusion), " ()"))
		case schemas.ChecksPending:
			pending = append(pending, check.Name)
		case schemas.ChecksSuccess, schemas.ChecksNone:
			succeeded++
		}
	}
	parts := []string{string(state)}
	if len(failing) > 0 {
		parts = append(parts, "failing: "+listed(failing))
	}
	if len(pending) > 0 {
		parts = append(parts, "pending: "+listed(pending))
	}
	if succeeded > 0 {
		parts = append(parts, fmt.Sprintf("succeeded: %d", succeeded))
	}
	return strings.Join(parts, "; ")
}

// reviewsText says who has which opinion; an approval of another commit than the
// head is told apart.
func reviewsText(row schemas.PullRequest) string {
	by := make(map[schemas.ReviewState][]string)
	for _, review := range row.Reviews {
		person := cmp.Or(review.Author, "somebody")
		if review.State == schemas.ReviewApproved && review.HeadSHA != row.HeadSHA {
			person += " (not this head)"
		}
		by[review.State] = append(by[review.State], person)
	}
	var parts []string
	for _, opinion := range []struct {
		state schemas.ReviewState
		text  string
	}{
		{schemas.ReviewApproved, "approved by "},
		{schemas.ReviewChangesRequested, "changes requested by "},
		{schemas.ReviewCommented, "commented by "},
		{schemas.ReviewDismissed, "dismissed: "},
		{schemas.ReviewWithdrawn, "withdrawn: "},
	} {
		if people := by[opinion.state]; people != nil {
			parts = append(parts, opinion.text+listed(people))
		}
	}
	return strings.Join(parts, "; ")
}

func linksText(rows json.RawMessage) string {
	links, _ := read[[]schemas.Link](rows)
	texts := make([]string, len(links))
	for i, link := range links {
		texts[i] = string(link.Kind) + " " + link.Target
	}
	return listed(texts)
}

func queueText(row schemas.PullRequest) string {
	switch {
	case row.Queued:
		return "it is in the queue"
	case row.DequeuedReason != "":
		return "it left: " + row.DequeuedReason
	}
	return ""
}

// present returns the texts that are not empty.
func present(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

func because(reason *string) string {
	if reason == nil || *reason == "" {
		return ""
	}
	return "  " + *reason
}

func short(value *string) string {
	if value == nil {
		return "nothing"
	}
	text := []rune(*value)
	if len(text) > 60 {
		return string(text[:57]) + "..."
	}
	return string(text)
}
