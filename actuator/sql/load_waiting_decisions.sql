-- What waits for a component: the transition that was decided on, and the pull
-- request as it is now.
select d.rule, t.value, row_to_json(p)
  from pawl.decision d
  join pawl.transition t on t.id = d.transition_id
  join pawl.pull_request p on p.entity_key = d.entity_key
 where d.waits_for @> array[$1]
 order by d.entity_key, d.decided_at, d.rule
