delete from pawl.outbox
where id = any($1::bigint[])
