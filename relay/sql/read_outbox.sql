-- The oldest rows of a shard. A statement of its own, after the lock: its
-- snapshot then shows what the relay before us deleted.
select o.id, o.partition_key, t.id, t.entity_key, t.kind, t.value
from pawl.outbox o
join pawl.transition t on t.id = o.transition_id
where o.shard = $1
order by o.id
limit $2
