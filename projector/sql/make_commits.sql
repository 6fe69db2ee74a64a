-- The rows on which a result and a new head meet, made where they are missing: of
-- the commits that a batch has results for, and of those that its snapshots bring
-- as heads. A snapshot that shows the head the row has brings none.
insert into pawl.commit_rollup (entity_key, instance, repository_id, sha, version, folded_at)
select k.entity_key, k.instance, k.repository_id, k.sha, 0, $6
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       as k (entity_key, instance, repository_id, sha, pull_request)
 where not exists (
       select from pawl.pull_request p
        where p.entity_key = k.pull_request
          and p.head_commit = k.entity_key)
 order by k.entity_key
    on conflict do nothing
