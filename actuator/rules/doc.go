// Package rules reads the rules of pawl.yaml and decides by them.
//
// A rule says on which transitions it listens, under which condition it wants
// something done, what that is, and how often. A decision is a function of the
// transition and of the rules, and of nothing else: there is no clock, no
// network and no database in it. The transition carries the pull request right
// after it, so a simulation over recorded transitions decides as the live
// system did, and a decision made twice is the same decision with the same
// idempotency keys.
//
//	pawl.yaml ─parse─▶ nodes ─check─▶ faults, all at once: file:line:column
//	                      └──compile─▶ Set
//	                                    │
//	Transition ─listens? for it?─▶ own echo? ─▶ when ─▶ scope ─▶ render ─▶ Decision
//	               │no               │yes        │false   │none     │fails
//	               ▼                 ▼           ▼        ▼         ▼
//	            nothing              no          no      error     error
//
// # What a file is held to
//
// Everything that can be known before the first transition is a fault at load:
// unknown keys, kinds, variables and fields, a condition that is not boolean or
// may cost too much, a template that cannot render. All faults of a file are
// reported in one error, each at its line and column, also inside a block of
// text. What depends on the transition (the first of no labels, an unknown head)
// is a Decision with OutcomeError and the reason; nothing is mutated half.
//
// What a provider lacks is told by Supported, once the providers are known.
//
// # Conditions
//
// Conditions and templates are CEL (https://cel.dev) over pr, transition and
// comment, over what is derived from them (checks, reviews, links, actor), and
// over the conditions that rules share. The fields are those of
// schemas.PullRequest, schemas.Transition and schemas.Comment by their JSON
// names, declared by reflection, so that a field added there can be asked for
// here. A time that is not known is null; a check that has not reported is
// "none".
//
// A condition is split at its top-level && and the parts are evaluated one by
// one. That yields what CEL yields for the whole (false wins over an error, in
// any order) and the part that was false, which is what the reason of a
// decision names. One program for the whole would have to be asked again, part
// by part, for every "no", and most decisions are "no". The parts after a false
// one are asked too where that is cheap, so that the values which a decision
// carries tell everything that was missing.
//
// A shared condition is a variable whose value is found when it is first asked
// for, once for all rules that look at the transition. To write its text into
// theirs would evaluate it as often as it is used, and lose its name.
//
// # Cost
//
// An evaluation ends at a limit of cost, which CEL counts step by step; counting
// takes as long as the evaluation. So an expression whose cost can be bounded on
// any pull request of ordinary size (isOrdinary) also has a program that does
// not count, and is evaluated by it on those. Larger ones are counted.
//
// # Order
//
// Nothing a rule sees may depend on the order of a Go map (I3): checks are met
// by their names, and a loop over a map that a rule makes itself is a fault.
//
// # Keys
//
// Each mutation has an idempotency key (I10): a hash of rule, kind, place in the
// rule, entity, and the value of the scope that `once` names or computes. The
// key holds no time and no attempt, so whoever decides again finds the same key.
//
// status("…") in a condition is what is known of a component of a status page. It
// is not read when it is asked for: the actuator attaches what the rules name
// (Transition.Statuses) before it decides, so a decision is a function of the
// transition still, and one that waits for a component is found again when that
// changes.
//
// # Mirrored comments
//
// bridge_comment also depends on what stands on the other side: which pull requests
// name the issue, which mirrors there are. BridgeWants tells what of that has to be
// read, and Bridge decides on it, the transition and the rules alone. A mirror
// carries a marker under a pull request, and under an issue an id that vouches for
// itself: by these it is known as our own when it comes back, whoever's name it
// bears.
//
// # Without a transition
//
// Explain asks a rule about a row alone. transition, actor and comment are then
// CEL's unknown values, which spread like errors and give way to what decides
// without them: so it tells "no" and "yes" from "that depends".
//
// # Own echo
//
// What Pawl does at a provider comes back as a delivery and folds into a
// transition like any other. A rule that reacts to it could react to itself for
// ever, so transitions caused by our own login, and comments that carry our
// marker, fire no rule unless the rule says include_own.
package rules
