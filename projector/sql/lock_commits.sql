-- Locked, in the order of their keys, and before any pull request: a result and a
-- new head are on different partitions, and each transaction could miss what the
-- other has not committed. Here the second one waits, and then sees it.
select entity_key, instance, repository_id, coalesce(repository, ''), sha, state, total, pending, succeeded, failed,
       coalesce(merge_group, ''), coalesce(merge_group_reason, ''), coalesce(merge_group_ref, ''), version
  from pawl.commit_rollup
 where entity_key in (
       select k.entity_key
         from unnest($1::text[], $2::text[]) as k (entity_key, pull_request)
        where not exists (
              select from pawl.pull_request p
               where p.entity_key = k.pull_request
                 and p.head_commit = k.entity_key))
 order by entity_key
   for update
