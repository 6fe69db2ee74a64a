// Package simulate tells what changed rules would have done with the transitions
// that are recorded, and how that differs from what was really done, or from what
// other rules would have done.
//
//	pawl.transition ─pages─▶ plan by the new rules ─┐
//	                └──────▶ plan by the old ones ──┤
//	pawl.mutation ──or what was really done─────────┴─pair─▶ = ~ + -
//
// A transition carries the state right after it, and a decision is a function of
// it and the rules (I3), so the new rules decide here as they would have decided
// then. Two mutations are the same if they have one key; what is left is paired by
// entity, rule and kind, for rules that changed the scope of their keys.
//
// # What is promised
//
// Nothing is written: all reading is done in one read-only transaction, on one
// snapshot. Transitions are read by pages. What is kept is what is told, and a
// little for each entity.
//
// # What cannot be known
//
// What package plan says; and that the mutations of the new rules would have had
// echoes and consequences of their own. A real mutation that was skipped, because
// somebody was faster or the row had moved on, counts as the same where the new
// rules want it too: whether the provider would have refused it is not theirs to
// say.
package simulate
