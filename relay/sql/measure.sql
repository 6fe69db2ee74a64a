select
  (select count(*) from pawl.outbox),
  coalesce((select extract(epoch from $1::timestamptz - created_at) from pawl.outbox order by id limit 1), 0)::float8,
  (select count(*) from pawl.dead_letter where resolved_at is null)
