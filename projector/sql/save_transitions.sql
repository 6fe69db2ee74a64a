insert into pawl.transition (
       id, entity_key, kind, from_value, to_value, source, delivery_id, log_offset, value,
       topic, log_partition, folded_at)
select x.id, x.entity_key, x.kind, nullif(x.from_value, ''), nullif(x.to_value, ''), x.source,
       x.delivery_id, x.log_offset, x.value::json, $10, $11, $12
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::bigint[], $9::text[]
       ) as x (
       id, entity_key, kind, from_value, to_value, source, delivery_id, log_offset, value)
    on conflict (id) do nothing
