insert into pawl.commit_rollup (
       entity_key, instance, repository_id, repository, sha, state, total, pending, succeeded, failed,
       merge_group, merge_group_reason, merge_group_ref, version, folded_at)
select x.entity_key, x.instance, x.repository_id, nullif(x.repository, ''), x.sha, x.state, x.total, x.pending, x.succeeded, x.failed,
       nullif(x.merge_group, ''), nullif(x.merge_group_reason, ''), nullif(x.merge_group_ref, ''), x.version, $15
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::bigint[]
       ) as x (
       entity_key, instance, repository_id, repository, sha, state, total, pending, succeeded, failed,
       merge_group, merge_group_reason, merge_group_ref, version)
    on conflict (entity_key) do update
   set repository = excluded.repository,
       sha = excluded.sha,
       state = excluded.state,
       total = excluded.total,
       pending = excluded.pending,
       succeeded = excluded.succeeded,
       failed = excluded.failed,
       merge_group = excluded.merge_group,
       merge_group_reason = excluded.merge_group_reason,
       merge_group_ref = excluded.merge_group_ref,
       version = excluded.version,
       folded_at = excluded.folded_at
