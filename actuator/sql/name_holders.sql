update pawl.decision d
   set outcome = h.outcome, reason = h.reason
  from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as h (rule, entity_key, outcome, reason)
 where d.transition_id = $1
   and d.rule = h.rule
   and d.entity_key = h.entity_key
