// Package e2e tests the program that users run: the built binary, one process a
// role, a broker, PostgreSQL and a fake provider behind HTTP.
//
// What one package promises alone is tested there. Here is what only shows with
// processes that die: kill -9 in the middle, a broker that goes away, a signal,
// two of a kind. A test never asks a process what it believes. It compares what
// the senders were answered, what the log holds, what the tables say, and what
// the provider shows:
//
//	posts ─▶ ingest ─▶ log ─▶ projectors ─▶ tables ─▶ actuators ─▶ provider
//	  │ acknowledged    │ end      verdicts ─┘ │ mutations    effects │
//	  └────────────────┴──────── agree ────────┴──────────────────────┘
//
// Every pipeline test runs on kfake, and on Apache Kafka where PAWL_KAFKA_JARS
// names its jars (make test-kafka).
package e2e
