-- Takes a shard for this transaction, or says that another relay has it. A
-- relay that stands still loses its session, and with it the shard.
select
  pg_try_advisory_xact_lock($1::integer, $2::integer),
  set_config('idle_in_transaction_session_timeout', $3::text, true)
