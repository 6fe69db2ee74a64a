-- The comments that the batch is about, and those that wait for a pull request
-- of the batch to be seen.
select entity_key, kind, parent, coalesce(thread, ''), coalesce(issue, ''), state, coalesce(author, ''), author_is_bot,
       coalesce(body, ''), coalesce(url, ''), created_at, provider_updated_at, announced, version, needs_read, removed_at, missed_at
  from pawl.comment
 where entity_key = any($1)
 union
select entity_key, kind, parent, coalesce(thread, ''), coalesce(issue, ''), state, coalesce(author, ''), author_is_bot,
       coalesce(body, ''), coalesce(url, ''), created_at, provider_updated_at, announced, version, needs_read, removed_at, missed_at
  from pawl.comment
 where parent = any($2)
   and not announced
