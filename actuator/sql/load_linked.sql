-- The pull requests that name an issue, $1, or that have a mirror of a comment, $2,
-- in the order of their keys.
select row_to_json(p)
  from pawl.pull_request p
 where p.entity_key in (
         select l.pull_request from pawl.issue_link l where l.target = $1
          union
         select m.entity_key
           from pawl.mutation m
          where m.kind = 'bridge_comment'
            and m.params->>'comment' = $2
            and m.state not in ('skipped', 'cancelled'))
 order by p.entity_key
