package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// sayWhy says of what one side alone does what the other decided on the same
// transition. To decide again gives the same decision (I3), so none are kept.
func (s *simulation) sayWhy(ctx context.Context, tx pgx.Tx) error {
	var only []*Line
	for i := range s.report.Mutations {
		line := &s.report.Mutations[i]
		if line.Sign == OnlyOld && line.New == nil || line.Sign == OnlyNew && line.Old == nil {
			only = append(only, line)
		}
	}
	for some := range slices.Chunk(only, pageSize) {
		if err := s.sayWhyOf(ctx, tx, some); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulation) sayWhyOf(ctx context.Context, tx pgx.Tx, lines []*Line) error {
	transitions, err := readTransitions(ctx, tx, lines)
	if err != nil {
		return err
	}
	decided, err := readDecided(ctx, tx, lines)
	if err != nil {
		return err
	}
	for _, line := range lines {
		id := line.Origin().ID
		switch {
		case line.Sign == OnlyOld:
			line.Why = why(s.options.New, line.Rule, transitions[id])
		case s.options.Old != nil:
			line.Why = why(s.options.Old, line.Rule, transitions[id])
		default:
			line.Why = cmp.Or(decided[asked{id, line.Rule}], "no rule of that name was asked")
		}
	}
	return nil
}

// why says what a rule made of a transition without wanting the mutation.
func why(set *rules.Set, rule string, t schemas.Transition) string {
	info, known := set.Rule(rule)
	if !known {
		return fmt.Sprintf("there is no rule %s", rule)
	}
	for _, d := range set.Decide(t) {
		switch {
		case d.Rule != rule:
		case d.Outcome == rules.OutcomeMutate:
			return "the rule wants something else, or its key is held by an earlier mutation"
		default:
			return fmt.Sprintf("%s: %s", d.Outcome, d.Reason)
		}
	}
	if !slices.Contains(info.On, t.Kind) {
		return fmt.Sprintf("the rule does not listen to %s", t.Kind)
	}
	return "the rule is not for the repository"
}

func readTransitions(ctx context.Context, tx pgx.Tx, lines []*Line) (map[schemas.TransitionID]schemas.Transition, error) {
	ids := make([]string, len(lines))
	for i, line := range lines {
		ids[i] = string(line.Origin().ID)
	}
	rows, err := tx.Query(ctx, statement("transitions_by_id"), ids)
	if err != nil {
		return nil, fmt.Errorf("read transitions: %w", err)
	}
	found := make(map[schemas.TransitionID]schemas.Transition, len(lines))
	var value []byte
	_, err = pgx.ForEachRow(rows, []any{&value}, func() error {
		t, err := decode(value)
		found[t.ID] = t
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read transitions: %w", err)
	}
	return found, nil
}

// asked is a rule that looked at a transition.
type asked struct {
	transition schemas.TransitionID
	rule       string
}

// readDecided reads what the rules of the time really made of transitions.
func readDecided(ctx context.Context, tx pgx.Tx, lines []*Line) (map[asked]string, error) {
	var ids, names []string
	for _, line := range lines {
		ids, names = append(ids, string(line.Origin().ID)), append(names, line.Rule)
	}
	rows, err := tx.Query(ctx, statement("decided"), ids, names)
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	found := make(map[asked]string)
	var by asked
	var said string
	_, err = pgx.ForEachRow(rows, []any{&by.transition, &by.rule, &said}, func() error {
		found[by] = said
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	return found, nil
}
