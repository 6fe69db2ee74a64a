// Package projector folds the log of deliveries into PostgreSQL.
//
// The promise: the tables equal the fold of the log up to the checkpoint, each
// record of it has exactly one verdict (I14), and a record's effect is there
// once however often the record is read (I4).
//
//	        fetch side, a goroutine                 apply side, a goroutine
//	log ──▶ fetch ─▶ parse, hash, decode ──(1)──▶ begin
//	                                                compare and advance the checkpoint
//	                                                lock touched rows
//	  the next batch is made ready                  load what stands around them, and seen ids
//	  while the last one commits                    fold in order (pure)
//	                                                write states, verdicts, transitions,
//	                                                  outbox, dead letters, set-wise
//	                                              commit ◀── the commit point
//	                                              hint to Kafka, at leisure
//
// Assignment comes from a Kafka consumer group, truth does not. The checkpoint
// stands in PostgreSQL and moves in the transaction that writes the state, only
// from the offset that was read and only under the epoch that the owner took
// when the partition was assigned to it. A projector that was paused past its
// session may wake up with an open batch: its compare fails and nothing of the
// batch is written. The offset committed to Kafka afterwards is for dashboards.
//
// A crash before the commit leaves nothing; after it, everything. An error on
// commit means neither: the checkpoint is read again and says which it was.
//
// Two partitions meet on a commit and on a pull request, for results of a commit
// come under its own key, and on a component of a status page, which incidents show
// too. So a batch locks what it touches before it reads, in one round trip, commits
// first, then pull requests, then the rows of status pages, each in the order of
// their keys; a second round trip reads what stands around the locked rows. Whoever
// comes second folds on what the first one wrote, and no two lock each other out.
//
// One record can be bad without stopping the rest. A batch that the data makes
// fail is halved until the one record is found; it becomes a dead letter with
// its verdict, in one transaction, and the partition moves on. A checkpoint that
// lies outside the log is no such record: the topic was made anew or retention
// passed us by, and folding on would lose rows, so that partition stops and says
// so. It stops as well where the database refuses even the dead letter.
//
// Not kafka-go's Reader: it commits under whatever generation is current and
// can rewind a group, and one message at a time is a transaction a record. Not
// advisory locks: the compare on the checkpoint is exact without one.
package projector
