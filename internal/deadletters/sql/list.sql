select d.id, d.stage, d.entity_key, d.topic, d.log_partition, d.log_offset, d.source, d.delivery_id,
       d.mutation_id, m.rule, m.kind, d.reason, m.seen, m.sent, m.answer, d.created_at, d.resolved_at, d.resolution,
       coalesce(octet_length(d.value), 0)
  from pawl.dead_letter d
  left join pawl.mutation m
    on m.id = d.mutation_id
 where ($1 = '' or d.entity_key = $1)
   and ($2 = '' or d.stage = $2)
   and ($3 = 0 or d.id = $3)
   and ($4 or d.resolved_at is null)
 order by d.id desc
 limit $5
