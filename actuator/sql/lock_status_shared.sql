-- Who reads the status of a component holds it until what was decided is committed.
select pg_advisory_xact_lock_shared($1, hashtext($2))
