// Package schemas holds what crosses a stage boundary: entity keys, topic and
// header names, the sealed record of one delivery, the typed event a provider's
// payload decodes into, the folded state of an entity, and the transitions and
// mutations that follow from it.
//
//	delivery ─seal─▶ Record ─decode─▶ Event ─fold─▶ PullRequest, Comment
//	                                          └────▶ Transition ─decide─▶ Mutation
//
// The stages meet in the log and in the outbox, never in each other's packages,
// so these types are the whole of what they share. The package imports the
// standard library only.
//
// Two of the types are stored and read by programs that are not Pawl: Record
// (Kafka headers, CloudEvents 1.0 binary mode) and Transition (JSON). Their
// rule of change: a field may be added, never renamed, never given another
// meaning; a reader keeps what it does not know. A change that breaks the rule
// is a new version beside the old one (transition.v2.schema.json). Golden
// files in testdata hold version 1 and are only ever added to.
//
// Absent is not zero. A payload states some fields and says nothing of others;
// Stated keeps the two apart on the way in. In the folded state "unknown" is
// the zero value (an empty head sha, a zero time), because a reader of the
// tables cannot do more with the difference.
package schemas
