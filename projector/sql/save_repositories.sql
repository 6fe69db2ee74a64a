insert into pawl.repository (
       entity_key, instance, repository_id, repository, state, private, provider_updated_at, version, folded_at)
select x.entity_key, x.instance, x.repository_id, x.repository, x.state, x.private, x.provider_updated_at, x.version, $9
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::timestamptz[], $8::bigint[]
       ) as x (
       entity_key, instance, repository_id, repository, state, private, provider_updated_at, version)
    on conflict (entity_key) do update
   set repository = excluded.repository,
       state = excluded.state,
       private = excluded.private,
       provider_updated_at = excluded.provider_updated_at,
       version = excluded.version,
       folded_at = excluded.folded_at
