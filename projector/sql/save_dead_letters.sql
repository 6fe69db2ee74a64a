insert into pawl.dead_letter (
       stage, topic, log_partition, log_offset, entity_key, source, delivery_id, reason, headers, value, created_at)
select 'projector', $8, $9, x.log_offset, x.entity_key, nullif(x.source, ''), nullif(x.delivery_id, ''), x.reason,
       x.headers::json, x.value, $10
  from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[])
       as x (log_offset, entity_key, source, delivery_id, reason, headers, value)
    on conflict (stage, topic, log_partition, log_offset) do nothing
