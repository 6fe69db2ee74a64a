-- Locked, in the order of their keys: where two partitions hold records of one
-- entity, for partitions were added or a producer partitions otherwise, the
-- second owner folds on what the first one wrote.
select entity_key, instance, repository_id, repository, number,
       coalesce(title, ''), coalesce(body, ''), coalesce(author, ''), author_is_bot,
       state, draft, locked,
       coalesce(head_sha, ''), coalesce(head_ref, ''), coalesce(head_repository_id, ''),
       coalesce(base_ref, ''), coalesce(base_sha, ''),
       labels, coalesce(milestone, ''), requested_reviewers, assignees, auto_merge, coalesce(merge_commit_sha, ''),
       checks_state, approvals, changes_requested,
       comments, review_comments, commits, additions, deletions, changed_files,
       created_at, closed_at, merged_at, provider_updated_at,
       version, needs_read, coalesce(needs_read_reason, ''), arrival
  from pawl.pull_request
 where entity_key = any($1)
 order by entity_key
   for update
