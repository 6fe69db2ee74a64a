-- A later decision of a rule about an entity takes the place of the one that waits.
update pawl.decision d
   set waits_for = null
  from unnest($2::text[], $3::text[]) as later (rule, entity_key)
 where d.entity_key = later.entity_key
   and d.rule = later.rule
   and d.waits_for is not null
   and d.transition_id <> $1
