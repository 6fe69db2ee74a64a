-- load_pull_requests for a batch without results and renames, which is most of
-- them: one index and no choice of plan.
select entity_key, instance, repository_id, repository, number,
       coalesce(title, ''), coalesce(body, ''), coalesce(author, ''), author_is_bot,
       state, draft, locked,
       coalesce(head_sha, ''), coalesce(head_ref, ''), coalesce(head_repository_id, ''), coalesce(head_commit, ''),
       coalesce(base_ref, ''), coalesce(base_sha, ''),
       labels, coalesce(milestone, ''), requested_reviewers, assignees, auto_merge, coalesce(merge_commit_sha, ''),
       queued, coalesce(dequeued_reason, ''), checks, reviews, links,
       checks_state, approvals, approvals_of_head, changes_requested, unresolved_threads,
       comments, review_comments, commits, additions, deletions, changed_files,
       created_at, closed_at, merged_at, provider_updated_at,
       version, needs_read, coalesce(needs_read_reason, ''), arrival
  from pawl.pull_request
 where entity_key = any($1)
 order by entity_key
   for update
