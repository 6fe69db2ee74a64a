-- What rules really made of transitions.
select d.transition_id, d.rule, d.outcome || ': ' || d.reason
  from unnest($1::text[], $2::text[]) as asked (transition_id, rule)
  join pawl.decision d using (transition_id, rule)
