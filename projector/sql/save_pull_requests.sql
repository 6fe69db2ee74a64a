-- One statement for all rows of a batch. Lists travel as array literals, for
-- unnest takes arrays of arrays apart. It returns how many rows were new.
with saved as (
insert into pawl.pull_request (
       entity_key, instance, repository_id, repository, number, title, body, author,
       author_is_bot, state, draft, locked, head_sha, head_ref, head_repository_id, base_ref,
       base_sha, labels, milestone, requested_reviewers, assignees, auto_merge,
       merge_commit_sha, checks_state, approvals, changes_requested, comments, review_comments,
       commits, additions, deletions, changed_files, created_at, closed_at, merged_at,
       provider_updated_at, version, needs_read, needs_read_reason, arrival, folded_at)
select x.entity_key, x.instance, x.repository_id, x.repository, x.number, nullif(x.title, ''),
       nullif(x.body, ''), nullif(x.author, ''), x.author_is_bot, x.state, x.draft, x.locked,
       nullif(x.head_sha, ''), nullif(x.head_ref, ''), nullif(x.head_repository_id, ''),
       nullif(x.base_ref, ''), nullif(x.base_sha, ''), x.labels::text[],
       nullif(x.milestone, ''), x.requested_reviewers::text[], x.assignees::text[],
       x.auto_merge, nullif(x.merge_commit_sha, ''), x.checks_state, x.approvals,
       x.changes_requested, x.comments, x.review_comments, x.commits, x.additions, x.deletions,
       x.changed_files, x.created_at, x.closed_at, x.merged_at, x.provider_updated_at,
       x.version, x.needs_read, nullif(x.needs_read_reason, ''), x.arrival::json, $41
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[],
       $8::text[], $9::boolean[], $10::text[], $11::boolean[], $12::boolean[], $13::text[],
       $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
       $20::text[], $21::text[], $22::boolean[], $23::text[], $24::text[], $25::bigint[],
       $26::bigint[], $27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[], $31::bigint[],
       $32::bigint[], $33::timestamptz[], $34::timestamptz[], $35::timestamptz[],
       $36::timestamptz[], $37::bigint[], $38::boolean[], $39::text[], $40::text[]
       ) as x (
       entity_key, instance, repository_id, repository, number, title, body, author,
       author_is_bot, state, draft, locked, head_sha, head_ref, head_repository_id, base_ref,
       base_sha, labels, milestone, requested_reviewers, assignees, auto_merge,
       merge_commit_sha, checks_state, approvals, changes_requested, comments, review_comments,
       commits, additions, deletions, changed_files, created_at, closed_at, merged_at,
       provider_updated_at, version, needs_read, needs_read_reason, arrival)
    on conflict (entity_key) do update
   set repository = excluded.repository,
       title = excluded.title,
       body = excluded.body,
       author = excluded.author,
       author_is_bot = excluded.author_is_bot,
       state = excluded.state,
       draft = excluded.draft,
       locked = excluded.locked,
       head_sha = excluded.head_sha,
       head_ref = excluded.head_ref,
       head_repository_id = excluded.head_repository_id,
       base_ref = excluded.base_ref,
       base_sha = excluded.base_sha,
       labels = excluded.labels,
       milestone = excluded.milestone,
       requested_reviewers = excluded.requested_reviewers,
       assignees = excluded.assignees,
       auto_merge = excluded.auto_merge,
       merge_commit_sha = excluded.merge_commit_sha,
       checks_state = excluded.checks_state,
       approvals = excluded.approvals,
       changes_requested = excluded.changes_requested,
       comments = excluded.comments,
       review_comments = excluded.review_comments,
       commits = excluded.commits,
       additions = excluded.additions,
       deletions = excluded.deletions,
       changed_files = excluded.changed_files,
       created_at = excluded.created_at,
       closed_at = excluded.closed_at,
       merged_at = excluded.merged_at,
       provider_updated_at = excluded.provider_updated_at,
       version = excluded.version,
       needs_read = excluded.needs_read,
       needs_read_reason = excluded.needs_read_reason,
       arrival = excluded.arrival,
       folded_at = excluded.folded_at
returning xmax = 0 as is_new)
select count(*) filter (where is_new) from saved
