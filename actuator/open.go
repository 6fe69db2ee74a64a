package actuator

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// maxRounds bounds how often a decision looks for the holder of a key that was
// given back in the same moment.
const maxRounds = 5

// deciding is the transaction of one transition.
type deciding struct {
	store      *store
	set        *rules.Set
	transition schemas.Transition
	raw        []byte
	decisions  []rules.Decision
	wants      rules.BridgeWants      // what the rules that mirror need to know
	outcomes   map[decisionKey]string // of the decisions that were new
	became     []became               // what mutations became without an attempt
}

// decisionKey names a decision on a transition.
type decisionKey struct {
	rule   string
	entity schemas.EntityKey
}

func keyOf(d rules.Decision) decisionKey { return decisionKey{d.Rule, d.Entity} }

// opening is a mutation to open, and whether it was.
type opening struct {
	rules.Mutation
	decisionKey
	decided string // the transition as it was decided on
	after   time.Duration
	refused string // why it is opened dead, if it is
	opened  bool
	holder  string // what holds its key instead
}

// readsStatuses reports whether there are statuses to be read before it is decided:
// of rules of pull requests that read some.
func (d *deciding) readsStatuses() bool {
	if len(d.set.Reads()) == 0 {
		return false
	}
	return d.transition.Component == nil && d.transition.Incident == nil || isReadBy(d.set, d.transition)
}

// decide asks the rules, but for those that mirror and need to know more.
func (d *deciding) decide() {
	d.decisions = d.set.Decide(d.transition)
	if d.wants.IsNothing() {
		d.decisions = append(d.decisions, d.set.Bridge(d.transition, rules.BridgeAround{})...)
	}
}

func (d *deciding) run(ctx context.Context, tx pgx.Tx) error {
	if d.readsStatuses() {
		if err := d.readStatuses(ctx, tx, d.transition.Entity); err != nil {
			return err
		}
		d.decide()
	}
	if err := d.cancelWaiting(ctx, tx); err != nil {
		return err
	}
	if err := d.bridge(ctx, tx); err != nil {
		return err
	}
	fresh, err := d.record(ctx, tx)
	if err != nil {
		return err
	}
	d.outcomes = make(map[decisionKey]string)
	if err := d.act(ctx, tx, fresh); err != nil {
		return err
	}
	if isReadBy(d.set, d.transition) {
		return d.wake(ctx, tx)
	}
	return nil
}

// act opens what the new decisions want. They take the place of what waits.
func (d *deciding) act(ctx context.Context, tx pgx.Tx, fresh map[decisionKey]bool) error {
	if err := d.stopWaiting(ctx, tx, fresh); err != nil {
		return err
	}
	texts, err := encodeDecided(d.decisions)
	if err != nil {
		return err
	}
	var wanted []*opening
	for _, decision := range d.decisions {
		key := keyOf(decision)
		if !fresh[key] {
			continue
		}
		d.outcomes[key] = string(decision.Outcome)
		for _, m := range decision.Mutations {
			wanted = append(wanted, &opening{Mutation: m, decisionKey: key, decided: cmp.Or(texts[key], string(d.raw)), after: decision.After})
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if err := d.open(ctx, tx, wanted); err != nil {
		return err
	}
	return d.name(ctx, tx, wanted)
}

// stopWaiting: of one rule about one entity at most the newest decision waits, and
// none where a later one acts.
func (d *deciding) stopWaiting(ctx context.Context, tx pgx.Tx, fresh map[decisionKey]bool) error {
	if len(d.set.Reads()) == 0 {
		return nil
	}
	var names, entities []string
	for _, decision := range d.decisions {
		if fresh[keyOf(decision)] && (decision.Outcome == rules.OutcomeMutate || len(decision.WaitsFor) > 0) {
			names, entities = append(names, decision.Rule), append(entities, string(decision.Entity))
		}
	}
	if len(names) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, d.store.sql.stopWaiting, d.transition.ID, names, entities)
	return err
}

// record writes the decisions and returns those that are new.
func (d *deciding) record(ctx context.Context, tx pgx.Tx) (map[decisionKey]bool, error) {
	if len(d.decisions) == 0 {
		return nil, nil
	}
	var names, entities, outcomes, reasons, values, waits []string
	for _, decision := range d.decisions {
		waits = append(waits, keysLiteral(decision.WaitsFor))
		names = append(names, decision.Rule)
		entities = append(entities, storable(string(decision.Entity)))
		outcomes = append(outcomes, string(decision.Outcome))
		reasons = append(reasons, storable(decision.Reason))
		values = append(values, string(decision.Values))
	}
	rows, err := tx.Query(ctx, d.store.sql.recordDecisions, d.transition.ID, d.set.Hash, string(d.set.Mode),
		names, entities, outcomes, reasons, values, waits)
	if err != nil {
		return nil, err
	}
	fresh := make(map[decisionKey]bool)
	var key decisionKey
	_, err = pgx.ForEachRow(rows, []any{&key.rule, &key.entity}, func() error {
		fresh[key] = true
		return nil
	})
	return fresh, err
}

// open inserts the wanted mutations, those beyond a limit dead. Where a key is held
// its holder is found; where the holder has just given the key back, it is tried
// again.
func (d *deciding) open(ctx context.Context, tx pgx.Tx, wanted []*opening) error {
	if d.set.Mode == rules.ModeAct {
		if _, err := tx.Exec(ctx, d.store.sql.cancelPlanned, keysOf(wanted)); err != nil {
			return err
		}
		if err := d.bound(ctx, tx, wanted); err != nil {
			return err
		}
	}
	left := wanted
	for range maxRounds {
		if err := d.insert(ctx, tx, left); err != nil {
			return err
		}
		if err := d.findHolders(ctx, tx, left); err != nil {
			return err
		}
		var next []*opening
		for _, o := range left {
			if !o.opened && o.holder == "" {
				next = append(next, o)
			}
		}
		if left = next; len(left) == 0 {
			return nil
		}
	}
	return fmt.Errorf("the key of rule %s was given back and taken %d times meanwhile", left[0].rule, maxRounds)
}

func (d *deciding) insert(ctx context.Context, tx pgx.Tx, wanted []*opening) error {
	var entities, names, kinds, params, states, reasons, onRefusal, decided []string
	var positions []int32
	var delays []float64
	for _, o := range wanted {
		rule, _ := d.set.Rule(o.rule)
		entities = append(entities, string(o.entity))
		names = append(names, o.rule)
		kinds = append(kinds, string(o.Kind))
		params = append(params, string(o.Params))
		positions = append(positions, int32(o.Position))
		states = append(states, string(d.stateOf(o)))
		reasons = append(reasons, storable(o.refused))
		onRefusal = append(onRefusal, string(rule.OnRefusal))
		delays = append(delays, o.after.Seconds())
		decided = append(decided, o.decided)
	}
	rows, err := tx.Query(ctx, d.store.sql.openMutations, entities, names, kinds, params, keysOf(wanted), positions,
		d.transition.ID, decided, states, delays, reasons, onRefusal)
	if err != nil {
		return err
	}
	opened, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, key := range opened {
		for _, o := range wanted {
			if string(o.Key) == key {
				o.opened = true
				d.became = append(d.became, became{string(o.Kind), string(d.stateOf(o))})
			}
		}
	}
	return nil
}

// stateOf is the state in which a mutation is opened.
func (d *deciding) stateOf(o *opening) schemas.MutationState {
	switch {
	case d.set.Mode == rules.ModePlan:
		return schemas.MutationPlanned
	case o.refused != "":
		return schemas.MutationDead
	case o.after > 0:
		return schemas.MutationWaiting
	}
	return schemas.MutationPending
}

// findHolders names what holds the keys of the mutations that are not opened.
func (d *deciding) findHolders(ctx context.Context, tx pgx.Tx, wanted []*opening) error {
	var held []*opening
	for _, o := range wanted {
		if !o.opened {
			o.holder = ""
			held = append(held, o)
		}
	}
	if len(held) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, d.store.sql.findHolders, keysOf(held))
	if err != nil {
		return err
	}
	var key, state, transition string
	var id int64
	_, err = pgx.ForEachRow(rows, []any{&key, &id, &state, &transition}, func() error {
		for _, o := range held {
			if string(o.Key) == key {
				o.holder = fmt.Sprintf("%s: its key is held by mutation %d (%s) of transition %s", o.Kind, id, state, transition)
			}
		}
		return nil
	})
	return err
}

// name writes into the decisions which keys were held: a rule that opened
// nothing is a repeat.
func (d *deciding) name(ctx context.Context, tx pgx.Tx, wanted []*opening) error {
	var names, entities, outcomes, reasons []string
	for _, decision := range d.decisions {
		opened, holders := tally(keyOf(decision), wanted)
		if len(holders) == 0 {
			continue
		}
		outcome, reason := "repeat", strings.Join(holders, "; ")
		if opened > 0 {
			outcome, reason = string(decision.Outcome), decision.Reason+"; "+reason
		}
		names = append(names, decision.Rule)
		entities = append(entities, string(decision.Entity))
		outcomes = append(outcomes, outcome)
		reasons = append(reasons, storable(reason))
		d.outcomes[keyOf(decision)] = outcome
	}
	if len(names) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, d.store.sql.nameHolders, d.transition.ID, names, entities, outcomes, reasons)
	return err
}

// tally returns how many mutations of a decision were opened, and what holds the
// keys of the others.
func tally(decision decisionKey, wanted []*opening) (opened int, holders []string) {
	for _, o := range wanted {
		switch {
		case o.decisionKey != decision:
		case o.opened:
			opened++
		default:
			holders = append(holders, o.holder)
		}
	}
	return opened, holders
}

func keysOf(wanted []*opening) []string {
	keys := make([]string, len(wanted))
	for i, o := range wanted {
		keys[i] = string(o.Key)
	}
	return keys
}
