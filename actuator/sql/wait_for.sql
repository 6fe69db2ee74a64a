-- What was decided did not come about for the status of a component alone: it is
-- decided again when one changes. A decision that waits for nothing waits no more.
update pawl.decision d
   set waits_for = nullif(w.waits_for, '{}')::text[]
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as w (transition_id, rule, entity_key, waits_for)
 where d.transition_id = w.transition_id
   and d.rule = w.rule
   and d.entity_key = w.entity_key
