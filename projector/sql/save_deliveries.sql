insert into pawl.delivery (
       topic, log_partition, log_offset, source, delivery_id, entity_key, provider, event, action, subject, sender,
       verdict, reason, id_reused, body_hash, provider_updated_at, received_at, folded_at)
select $16, $17, x.log_offset, x.source, x.delivery_id, x.entity_key, x.provider, x.event,
       nullif(x.action, ''), nullif(x.subject, ''), nullif(x.sender, ''), x.verdict,
       nullif(x.reason, ''), x.id_reused, x.body_hash, x.provider_updated_at, x.received_at,
       $18
  from unnest(
       $1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::text[], $12::boolean[], $13::bytea[],
       $14::timestamptz[], $15::timestamptz[]
       ) as x (
       log_offset, source, delivery_id, entity_key, provider, event, action, subject, sender,
       verdict, reason, id_reused, body_hash, provider_updated_at, received_at)
