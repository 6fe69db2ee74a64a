// Package story runs stories: deliveries in order of arrival, and what must be
// true at the end.
//
// A story is one txtar file (golang.org/x/tools/txtar): pawl.yaml with the rules,
// NN.http files with deliveries as HTTP text, want.yaml. It runs without Kafka
// and PostgreSQL, through the functions that run in production:
//
//	NN.http ─Seal─▶ record ─Decode─▶ event ─Fold─▶ rows, verdict, transitions ─Plan─▶ mutations
//
// The log is a slice, the tables are a Held, and what the database does for keys,
// delays and limits package plan does here, by the times of receipt. Nothing else is
// different, so what a story proves holds in production, as far as the fold and the
// rules go. After the last delivery all delays run out.
//
// A story can be run in other orders of arrival, and with doubled deliveries. The
// rows must come out the same; mutations may differ where a rule depends on what
// it saw first, and that is reported.
package story
