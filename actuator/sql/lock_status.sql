-- A component changed: who decides on what waits for it is alone.
select pg_advisory_xact_lock($1, hashtext($2))
