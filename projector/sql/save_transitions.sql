-- Transitions and their outbox rows. An id that is there already was written by
-- an earlier folding of the same record, and is not published again (I8, I13).
with given as (
  select *
    from unnest(
         $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::bigint[], $9::text[], $10::text[]
         ) with ordinality as x (
         id, entity_key, kind, from_value, to_value, source, delivery_id, log_offset, value,
         partition_key, place)
), fresh as (
  insert into pawl.transition (
         id, entity_key, kind, from_value, to_value, source, delivery_id, log_offset, value,
         topic, log_partition, folded_at)
  select x.id, x.entity_key, x.kind, nullif(x.from_value, ''), nullif(x.to_value, ''), x.source,
         x.delivery_id, x.log_offset, x.value::json, $11, $12, $13
    from given x
      on conflict (id) do nothing
  returning id
)
insert into pawl.outbox (shard, transition_id, partition_key, created_at)
select $12, given.id, given.partition_key, $13
  from given
  join fresh on fresh.id = given.id
 order by given.place
