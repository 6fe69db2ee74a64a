-- The oldest dead letters that the topic does not have, as many as fit into $2
-- bytes and at least one.
select id, topic, log_partition, log_offset, entity_key, reason, stage, headers, value
from (
  select d.*, sum(coalesce(octet_length(d.value), 0)) over (order by d.id) - coalesce(octet_length(d.value), 0) as before
  from (
    select *
    from pawl.dead_letter
    where published_at is null and stage = 'projector'
    order by id
    limit $1
  ) d
) sized
where before < $2
order by id
