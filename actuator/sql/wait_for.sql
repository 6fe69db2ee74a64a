-- What was decided did not come about for the status of a component alone: it is
-- decided again when one changes.
update pawl.decision
   set waits_for = nullif($4, '{}')::text[]
 where transition_id = $1
   and rule = $2
   and entity_key = $3
