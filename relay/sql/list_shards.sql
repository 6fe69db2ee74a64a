-- The shards that have rows, found by stepping from one to the next on the
-- index: a distinct would read every pending row.
with recursive step as (
  (select shard from pawl.outbox order by shard limit 1)
  union all
  select (select o.shard from pawl.outbox o where o.shard > s.shard order by o.shard limit 1)
  from step s
  where s.shard is not null
)
select shard
from step
where shard is not null
