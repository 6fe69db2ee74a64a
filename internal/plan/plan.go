package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"pawl/actuator/rules"
	"pawl/schemas"
)

// Rules decide. A *rules.Set does, and so does a *rules.Coverage, which remembers
// what it was asked.
type Rules interface {
	Decide(t schemas.Transition) []rules.Decision
	DecideAgain(rule string, t schemas.Transition) (rules.Decision, bool)
	WaitsFor(rule string, t schemas.Transition, now rules.Now) []schemas.EntityKey
	Reads() []schemas.EntityKey
	Bridges() bool
	BridgeWants(t schemas.Transition) rules.BridgeWants
	Bridge(t schemas.Transition, around rules.BridgeAround) []rules.Decision
	Again(rule string, t schemas.Transition, now rules.Now) (holds bool, reason string)
	Rule(name string) (rules.Info, bool)
	Limits() rules.Limits
}

// State is what became of a mutation.
type State string

// The states.
const (
	Planned   State = "planned"   // it would be done; before Finish it may still wait
	Cancelled State = "cancelled" // a contrary state came before its time; the key is given back
	Skipped   State = "skipped"   // its time came, and the condition did not hold any more; likewise
	Dead      State = "dead"      // beyond a limit
)

// Valid reports whether s is one of the states.
func (s State) Valid() bool {
	switch s {
	case Planned, Cancelled, Skipped, Dead:
		return true
	}
	return false
}

// Origin names the transition that something follows from.
type Origin struct {
	ID         schemas.TransitionID `json:"id"`
	Entity     schemas.EntityKey    `json:"entity"`
	Kind       schemas.Kind         `json:"kind"`
	DeliveryID schemas.DeliveryID   `json:"delivery_id"`
	ReceivedAt time.Time            `json:"received_at,omitzero"`
	// Name is the pull request's, as people write it: acme/api#7.
	Name string `json:"name,omitempty"`
}

// OriginOf returns the name of a transition.
func OriginOf(t schemas.Transition) Origin {
	o := Origin{ID: t.ID, Entity: t.Entity, Kind: t.Kind, DeliveryID: t.Cause.DeliveryID, ReceivedAt: t.Cause.ReceivedAt}
	if pr := t.PullRequest; pr != nil && pr.Repository != "" {
		o.Name = fmt.Sprintf("%s#%d", pr.Repository, pr.Number)
	}
	return o
}

// Repeat is the outcome of a decision whose mutations all have their keys held.
const Repeat rules.Outcome = "repeat"

// Decision is what one rule made of one transition.
type Decision struct {
	Rule    string            `json:"rule"`
	Entity  schemas.EntityKey `json:"entity"`
	Outcome rules.Outcome     `json:"outcome"`
	Reason  string            `json:"reason"`
	Origin  Origin            `json:"transition"`
}

// Mutation is a mutation that a decision opened.
type Mutation struct {
	Entity   schemas.EntityKey
	Rule     string
	Kind     schemas.MutationKind
	Position int
	Params   json.RawMessage
	Key      schemas.IdempotencyKey
	State    State
	Reason   string
	Origin   Origin
	// DueAt is when it is done, for a rule that waits. Zero is at once.
	DueAt time.Time

	decided *schemas.Transition // while it waits
}

// Plan is a run under way. New makes one.
type Plan struct {
	rules     Rules
	mutations []*Mutation
	entities  map[schemas.EntityKey]*entity
	held      map[schemas.IdempotencyKey]bool
	world     world
	gates     gates
}

// entity is what a plan knows of one.
type entity struct {
	at      time.Time   // the newest time of receipt
	waiting []*Mutation // in the order in which they were opened
	newest  rules.Now   // while something waits
	recent  []recent
}

// New returns an empty plan.
func New(r Rules) *Plan {
	return &Plan{
		rules: r, entities: make(map[schemas.EntityKey]*entity), held: make(map[schemas.IdempotencyKey]bool), world: newWorld(),
		gates: newGates(r.Reads()),
	}
}

// Past is a mutation from before the run that holds its key.
type Past struct {
	Entity schemas.EntityKey
	Rule   string
	Key    schemas.IdempotencyKey
	At     time.Time
}

// Hold makes a mutation from before the run known: its key is held, and it counts
// towards the limits.
func (p *Plan) Hold(past Past) {
	p.held[past.Key] = true
	e := p.entity(past.Entity)
	e.recent = append(e.recent, recent{at: past.At, rule: past.Rule})
}

func (p *Plan) entity(key schemas.EntityKey) *entity {
	e := p.entities[key]
	if e == nil {
		e = new(entity)
		p.entities[key] = e
	}
	return e
}

// advance moves an entity's time on; it does not go back.
func (e *entity) advance(at time.Time) {
	if at.After(e.at) {
		e.at = at
	}
}

// Take decides on the next transition. Each is taken once, and those of an entity
// in their order.
func (p *Plan) Take(t schemas.Transition) []Decision {
	e := p.entity(t.PartitionKey())
	e.advance(t.Cause.ReceivedAt)
	p.gates.note(&t)
	if p.rules.Bridges() || len(p.gates.reads) > 0 {
		p.world.note(t)
	}
	p.wake(e, e.at)
	if now := rules.NowOf(t); !now.IsUnknown() {
		p.cancel(e, now)
		e.newest = now
	}
	decisions := p.settle(t, e.at, append(p.rules.Decide(t), p.bridge(t)...))
	if len(e.waiting) == 0 {
		e.newest = rules.Now{}
	}
	return append(decisions, p.reconsider(t, e.at)...)
}

// settle opens what decisions want.
func (p *Plan) settle(t schemas.Transition, at time.Time, decided []rules.Decision) []Decision {
	decisions := make([]Decision, 0, len(decided))
	counted := make(map[schemas.EntityKey]map[string]int)
	for _, d := range decided {
		if counted[d.Entity] == nil {
			counted[d.Entity] = p.countRecent(d.Entity, at)
		}
		made := Decision{Rule: d.Rule, Entity: d.Entity, Outcome: d.Outcome, Reason: d.Reason, Origin: OriginOf(t)}
		if held := p.open(t, d, at, counted[d.Entity]); len(held) > 0 && len(held) == len(d.Mutations) {
			made.Outcome, made.Reason = Repeat, strings.Join(held, "; ")
		}
		p.gates.decided(t, d)
		decisions = append(decisions, made)
	}
	return decisions
}

// open opens the mutations of a decision, and returns why of those that it does
// not: a key is held by one (I10). Those beyond a limit are opened dead.
func (p *Plan) open(t schemas.Transition, d rules.Decision, at time.Time, counted map[string]int) (held []string) {
	e := p.entity(d.Entity)
	for _, m := range d.Mutations {
		if p.held[m.Key] {
			held = append(held, string(m.Kind)+": its key is held by an earlier mutation")
			continue
		}
		p.held[m.Key] = true
		made := &Mutation{
			Entity: d.Entity, Rule: d.Rule, Kind: m.Kind, Position: m.Position, Params: m.Params, Key: m.Key,
			State: Planned, Origin: OriginOf(t),
		}
		p.mutations = append(p.mutations, made)
		p.world.noteMirror(made)
		e.recent = append(e.recent, recent{at: at, rule: d.Rule, mutation: made})
		refused := p.rules.Limits().Refuse(counted, d.Rule, d.Entity)
		switch {
		case refused != "":
			made.State, made.Reason = Dead, refused
		case d.After > 0:
			made.DueAt, made.decided = at.Add(d.After), &t
			e.waiting, e.newest = append(e.waiting, made), rules.NowOf(t)
		}
	}
	return held
}

// Mutations returns what was opened, in that order.
func (p *Plan) Mutations() []*Mutation { return p.mutations }
