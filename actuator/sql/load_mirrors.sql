-- The issues in which a pull request's comment has a mirror.
select distinct m.params->>'issue'
  from pawl.mutation m
 where m.kind = 'bridge_comment'
   and m.params->>'comment' = $1
   and m.params->>'issue' is not null
   and m.state not in ('skipped', 'cancelled')
 order by 1
