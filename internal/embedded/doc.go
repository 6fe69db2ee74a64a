// Package embedded runs Kafka and PostgreSQL for one machine: the parts under
// pawl up and pawl demo, and under the tests.
//
// The promise: what was acknowledged is there after a restart, and two
// processes never share a data directory.
//
//	data_dir/LOCK               flock, held by the one process that may use the rest
//	data_dir/kafka              the broker's log: kfake with DataDir and SyncWrites, in process
//	data_dir/postgres           a PostgreSQL cluster, served by a child process
//	data_dir/postgres.password  its one user's password
//	data_dir/postgres-binaries  a fetched PostgreSQL, only where the machine has none
//
// Kafka is twmb/franz-go's kfake. It fsyncs each produced batch before it
// answers, so it keeps I1 on one machine; it replicates nothing. It takes no
// lock on its directory, so we lock that too. Consumers close before the broker:
// a session that outlives a graceful stop holds up the next generation.
//
// PostgreSQL refuses to run as root. Started as root, we give the cluster to
// another user and drop to it. A cluster is served by the version that made it,
// also when the machine has a newer one by now. The server ends with this
// process: on Linux the kernel sees to it, elsewhere the next start does. It
// listens on loopback TCP with a password that is made once and kept beside the
// cluster: a unix socket would need a short path, which a data directory does
// not promise.
//
// Not containers: the machine of a stranger has Go and perhaps PostgreSQL, and
// the first run must not depend on an engine.
package embedded
