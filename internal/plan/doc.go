// Package plan tells which mutations a run of transitions opens, without a
// database and without a provider. It is what pawl test asserts and what pawl
// simulate compares: the decisions, keys, delays, cancellations and limits of the
// actuator, as a function of the transitions and the rules.
//
//	Transition ─▶ what is due ─▶ what waits ─▶ decide ─▶ key free? ─▶ below the limits?
//	              │ `when` no     │ `when` no             │no           │no
//	              ▼               ▼                       ▼             ▼
//	            skipped        cancelled                repeat         dead
//
// Time is the time of receipt that transitions carry, and does not go back for an
// entity; nothing here reads a clock.
//
// What a rule reads beside the transition (statuses of components, the comments
// and links around a mirror) is what the run's own transitions said before it. A
// decision that waits for a component is decided again when that component
// changes, as the actuator does.
//
// # What cannot be known
//
// Providers are not asked. A planned mutation may turn out to be done already, or
// be refused, so what a rule says under on_refusal shows only where the rules
// themselves give a mutation up: when its time has come and its condition does not
// hold any more. Nothing is done either, so no transition follows from a mutation
// unless the run has one.
package plan
