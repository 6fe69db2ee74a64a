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
//	Transition ─listens?─▶ own echo? ─▶ when ─▶ scope ─▶ render ─▶ Decision
//	               │no        │yes       │false   │none     │fails
//	               ▼          ▼          ▼        ▼         ▼
//	            nothing       no         no      error     error
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
// # Conditions
//
// Conditions and templates are CEL (https://cel.dev) over pr, transition and
// comment. The fields are those of schemas.PullRequest, schemas.Transition and
// schemas.Comment by their JSON names, declared by reflection, so that a field
// added there can be asked for here. A time that is not known is null.
//
// A condition is split at its top-level && and the parts are evaluated one by
// one. That yields what CEL yields for the whole (false wins over an error, in
// any order) and the part that was false, which is what the reason of a
// decision names. One program for the whole would have to be asked again, part
// by part, for every "no", and most decisions are "no".
//
// # Keys
//
// Each mutation has an idempotency key (I10): a hash of rule, kind, place in the
// rule, entity, and the value of the scope that `once` names. The key holds no
// time and no attempt, so whoever decides again finds the same key.
//
// # Own echo
//
// What Pawl does at a provider comes back as a delivery and folds into a
// transition like any other. A rule that reacts to it could react to itself for
// ever, so transitions caused by our own login, and comments that carry our
// marker, fire no rule unless the rule says include_own.
package rules
