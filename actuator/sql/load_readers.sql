-- The mutations that wait for their time and whose rules read a component, with the
-- pull request as it is now.
select m.id, m.rule, m.transition, row_to_json(p)
  from pawl.mutation m
  join pawl.pull_request p on p.entity_key = m.entity_key
 where m.state = 'waiting'
   and m.next_attempt_at <> 'infinity'
   and m.rule = any($1)
 order by m.id
   for update of m
