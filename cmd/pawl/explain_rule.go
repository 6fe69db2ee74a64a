package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// ruleExplanation is why a rule has not acted on a pull request, or has.
type ruleExplanation struct {
	subject
	Name string `json:"name"` // the pull request as people write it
	// Verdict is the answer in a sentence.
	Verdict string `json:"verdict"`
	// Now is what the rule says of the newest row, without a transition.
	Now       rules.Explanation `json:"now"`
	Mode      rules.Mode        `json:"mode"`
	RulesHash string            `json:"rules_hash"`
	// Decisions and Mutations of the rule about the pull request, newest first.
	Decisions []ruleDecision `json:"decisions"`
	Mutations []toldMutation `json:"mutations"`
}

// ruleDecision is a decision with what it was made on.
type ruleDecision struct {
	toldDecision
	Kind       *string `json:"kind"`
	DeliveryID *string `json:"delivery_id"`
}

// How many of a rule's decisions and mutations are told.
const (
	lastDecisions = 5
	lastMutations = 10
)

// explainRule asks a rule about the newest row of a pull request, and reads what
// it decided and did before.
func explainRule(ctx context.Context, find finder, text, rule string, set *rules.Set) (*ruleExplanation, error) {
	if len(set.Rules()) == 0 {
		return nil, &usageError{errors.New("the configuration has no rules: name one that has with --config")}
	}
	if _, known := set.Rule(rule); !known {
		_, err := set.Explain(rule, rules.Now{})
		return nil, &usageError{fmt.Errorf("--rule: %w", err)}
	}
	asked, err := find.subject(ctx, text)
	if err != nil {
		return nil, err
	}
	if key, err := schemas.ParseKey(schemas.EntityKey(asked.Key)); err != nil || key.Kind != schemas.KeyPullRequest {
		return nil, &usageError{fmt.Errorf("--rule asks about a pull request, such as acme/api#7, and %s is none", text)}
	}
	told := &ruleExplanation{subject: asked, Mode: set.Mode, RulesHash: set.Hash}
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, find.pool, snapshot, func(tx pgx.Tx) error { return told.read(ctx, tx, rule, set) })
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", asked.Key, err)
	}
	told.Verdict = told.verdict()
	return told, nil
}

func (e *ruleExplanation) read(ctx context.Context, tx pgx.Tx, rule string, set *rules.Set) error {
	var text json.RawMessage
	err := tx.QueryRow(ctx, `select to_json(p) from pawl.pull_request p where entity_key = $1`, e.Key).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%w: there is no such pull request", errUnknownEntity)
	}
	if err != nil {
		return err
	}
	var row schemas.PullRequest
	if err := json.Unmarshal(text, &row); err != nil {
		return fmt.Errorf("read its row: %w", err)
	}
	e.Name = fmt.Sprintf("%s#%d  %s", row.Repository, row.Number, row.State)
	now := rules.Now{PullRequest: &row}
	if now.Statuses, err = readStatuses(ctx, tx, set.Reads()); err != nil {
		return err
	}
	if e.Now, err = set.Explain(rule, now); err != nil {
		return err
	}
	return errors.Join(
		collect(ctx, tx, &e.Decisions, `
			select d.transition_id, d.rule, d.entity_key, d.outcome, d.reason, d.mode, d.rules_hash, coalesce(d."values", 'null'),
			       to_char(d.decided_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), t.kind, t.delivery_id
			  from pawl.decision d
			  left join pawl.transition t on t.id = d.transition_id
			 where d.entity_key = $1 and d.rule = $2
			 order by d.decided_at desc, t.log_offset desc
			 limit $3`, e.Key, rule, lastDecisions),
		collect(ctx, tx, &e.Mutations, toldMutations+`
			 where entity_key = $1 and rule = $2
			 order by id desc
			 limit $3`, e.Key, rule, lastMutations),
	)
}

// readStatuses reads what the rules ask for of status pages.
func readStatuses(ctx context.Context, tx pgx.Tx, keys []schemas.EntityKey) (map[schemas.EntityKey]schemas.ComponentStatus, error) {
	rows, err := tx.Query(ctx, `select entity_key, status from pawl.status_component where entity_key = any($1)`, keys)
	if err != nil {
		return nil, err
	}
	found := make(map[schemas.EntityKey]schemas.ComponentStatus)
	var key schemas.EntityKey
	var status schemas.ComponentStatus
	_, err = pgx.ForEachRow(rows, []any{&key, &status}, func() error {
		found[key] = status
		return nil
	})
	return found, err
}

// verdict answers why it has not acted, or has.
func (e *ruleExplanation) verdict() string {
	if e.Now.NotFor != "" {
		return "it does not act: " + e.Now.NotFor
	}
	if len(e.Decisions) == 0 {
		return fmt.Sprintf("it was never asked: no %s came since it is there; %s", anyOf(e.Now.On), e.wouldNow())
	}
	last := e.Decisions[0]
	on := "on " + last.on()
	switch last.Outcome {
	case string(rules.OutcomeMutate):
		return fmt.Sprintf("it wanted to act %s: %s", on, e.stands(last.TransitionID))
	case "repeat":
		return fmt.Sprintf("it did not act again %s: %s", on, last.Reason)
	case string(rules.OutcomeError):
		return fmt.Sprintf("it could not decide %s: %s; %s%s", on, last.Reason, e.wouldNow(), e.before())
	}
	return fmt.Sprintf("it did not act %s: %s; %s%s", on, last.Reason, e.wouldNow(), e.before())
}

// on names what it was decided on.
func (d ruleDecision) on() string {
	return cmp.Or(text(d.Kind), "a transition that is not kept any more")
}

// before says what it did last, if anything.
func (e *ruleExplanation) before() string {
	for _, m := range e.Mutations {
		switch schemas.MutationState(m.State) {
		case schemas.MutationDone, schemas.MutationDead, schemas.MutationPending, schemas.MutationClaimed, schemas.MutationWaiting, schemas.MutationPlanned:
			return "; before that it wanted to: " + e.stands(m.TransitionID)
		case schemas.MutationSkipped, schemas.MutationCancelled:
		}
	}
	return ""
}

// stands says how the mutations of a transition stand.
func (e *ruleExplanation) stands(transition string) string {
	var texts []string
	for _, m := range slices.Backward(e.Mutations) {
		if m.TransitionID == transition {
			texts = append(texts, m.Kind+" is "+m.State+strings.TrimRight(": "+text(m.Reason), ": "))
		}
	}
	if texts == nil {
		return "what became of it is older than what is told here"
	}
	return strings.Join(texts, "; ")
}

// wouldNow says whether the condition holds on the newest row.
func (e *ruleExplanation) wouldNow() string {
	switch e.Now.Holds {
	case rules.Holds:
		return fmt.Sprintf("now its condition holds, and it acts on the next %s, unless its key is held", anyOf(e.Now.On))
	case rules.HoldsIfTold:
		return "now it depends on the transition that comes"
	case rules.HoldsNot:
		if len(e.Decisions) > 0 && e.Decisions[0].Reason == e.Now.Reason {
			return "so it is still"
		}
		return "nor would it now: " + e.Now.Reason
	case rules.HoldsBroken:
		return "nor could it now: " + e.Now.Reason
	}
	return e.Now.Reason // unreachable unless a fifth answer is added
}

func anyOf(kinds []schemas.Kind) string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = string(kind)
	}
	return strings.Join(texts, " or ")
}

// print tells the answer first, then how it comes about.
func (e *ruleExplanation) print(out io.Writer, c palette) {
	fmt.Fprintf(out, "%s\n", c.bold(e.Name+"  "+e.Key))
	for _, note := range e.Notes {
		fmt.Fprintf(out, "  %s\n", c.yellow(note))
	}
	fmt.Fprintf(out, "%s: %s\n", c.bold(e.Now.Rule), e.Verdict)
	for _, f := range []fact{
		{"asked on", anyOf(e.Now.On)},
		{"once per", string(e.Now.Once)},
		{"waits", e.Now.After},
		{"does", kindsText(e.Now.Mutations)},
		{"mode", e.modeText()},
		{"now", fmt.Sprintf("%s: %s", e.Now.Holds, e.Now.Reason)},
	} {
		if f.text != "" {
			fmt.Fprintf(out, "  %s %s\n", c.dim(fmt.Sprintf("%-11s", f.name)), f.text)
		}
	}
	printParts(out, e.Now.Parts, "    ")
	for _, decision := range e.Decisions {
		fmt.Fprintf(out, "%s %s %s  %s: %s\n", c.dim(decision.DecidedAt), decision.on(), text(decision.DeliveryID), decision.Outcome, decision.Reason)
		if values := valuesText(decision.Values); values != "" {
			fmt.Fprintf(out, "  %s\n", c.dim(values))
		}
		e.printMutations(out, c, func(m toldMutation) bool { return m.TransitionID == decision.TransitionID })
	}
	if len(e.Decisions) == lastDecisions {
		e.printMutations(out, c, func(m toldMutation) bool {
			return !slices.ContainsFunc(e.Decisions, func(d ruleDecision) bool { return d.TransitionID == m.TransitionID })
		})
	}
}

// printParts writes the parts of a condition, and those of shared ones below.
func printParts(out io.Writer, parts []rules.Part, indent string) {
	for _, part := range parts {
		fmt.Fprintf(out, "%s%s\n", indent, oneLine(partText(part), evidenceWidth))
		printParts(out, part.Parts, indent+"  ")
	}
}

// printMutations writes some of the mutations, in the order of their decisions.
func (e *ruleExplanation) printMutations(out io.Writer, c palette, which func(toldMutation) bool) {
	for _, m := range slices.Backward(e.Mutations) {
		if which(m) {
			m.print(out, c, "  ")
		}
	}
}

// modeText says that nobody is called, where that is so.
func (e *ruleExplanation) modeText() string {
	if e.Mode == rules.ModePlan {
		return "plan: it decides, and nobody is called"
	}
	return ""
}

func kindsText(kinds []schemas.MutationKind) string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = string(kind)
	}
	return strings.Join(texts, ", then ")
}
