-- A decision that waited is decided again: what it came to takes the place of what
-- it was.
update pawl.decision
   set outcome = $4, reason = $5, "values" = nullif($6, '')::json, waits_for = nullif($7, '{}')::text[],
       rules_hash = $8, mode = $9, decided_at = now()
 where transition_id = $1
   and rule = $2
   and entity_key = $3
