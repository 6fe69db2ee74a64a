-- The links of the batch's pull requests that their texts no longer name.
delete from pawl.issue_link l
 where l.pull_request = any($1)
   and not exists (
       select from unnest($2::text[], $3::text[]) as x (pull_request, target)
        where x.pull_request = l.pull_request
          and x.target = l.target)
