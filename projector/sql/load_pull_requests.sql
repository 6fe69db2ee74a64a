-- The pull requests of the batch ($1), those whose head it has results for ($2),
-- and those of a repository that show another name than it says ($3, $4, $5): each
-- found by its own index, for an "or" would read the table. Locked, in the order
-- of their keys: the second of two owners folds on what the first one wrote.
with wanted as (
  select unnest($1::text[]) as entity_key
   union
  select entity_key from pawl.pull_request where head_commit = any($2)
   union
  select p.entity_key
    from unnest($3::text[], $4::text[], $5::text[]) as r (instance, repository_id, repository)
    join pawl.pull_request p
      on p.instance = r.instance
     and p.repository_id = r.repository_id
     and p.repository <> r.repository)
select p.entity_key, instance, repository_id, repository, number,
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
  from pawl.pull_request p
 where p.entity_key in (select entity_key from wanted)
 order by p.entity_key
   for update of p
