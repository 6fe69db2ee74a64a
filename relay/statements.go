package relay

import _ "embed"

//go:embed sql/list_shards.sql
var listShards string

//go:embed sql/lock_shard.sql
var lockShard string

//go:embed sql/read_outbox.sql
var readOutbox string

//go:embed sql/delete_outbox.sql
var deleteOutbox string

//go:embed sql/read_dead_letters.sql
var readDeadLetters string

//go:embed sql/mark_dead_letters.sql
var markDeadLetters string

//go:embed sql/measure.sql
var measureTables string
