-- The recorded transitions in the order of folding. $1 since, $2 the kinds in the
-- order in which one record yields them.
declare transition_page no scroll cursor for
 select t.value, t.folded_at
   from pawl.transition t
  where t.folded_at >= $1
  order by t.folded_at, t.log_partition, t.log_offset, array_position($2::text[], t.kind), t.entity_key
