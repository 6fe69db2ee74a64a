package projector

import "github.com/jackc/pgx/v5/pgxpool"

// sessionSettings are what the pool's connections should carry. The timeouts
// end a wedged statement before its worker gives up the partition, and the one
// for idleness bounds how long a paused or lost projector with an open batch
// keeps the next owner from the checkpoint. Every read
// here is a lookup by index, so there is one right plan: it is made once, cannot
// be a scan that was cheap while the table was empty, and does not change as
// tables grow.
var sessionSettings = map[string]string{
	"statement_timeout":                   "30s",
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "10s",
	"plan_cache_mode":                     "force_generic_plan",
	"enable_seqscan":                      "off",
	"enable_hashjoin":                     "off",
	"enable_mergejoin":                    "off",
	"jit":                                 "off",
}

// Configure sets a pool's connections up for the projector.
func Configure(config *pgxpool.Config) {
	for name, value := range sessionSettings {
		config.ConnConfig.RuntimeParams[name] = value
	}
}
