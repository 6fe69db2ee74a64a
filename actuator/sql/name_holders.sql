update pawl.decision d
   set outcome = h.outcome, reason = h.reason
  from unnest($2::text[], $3::text[], $4::text[]) as h (rule, outcome, reason)
 where d.transition_id = $1
   and d.rule = h.rule
