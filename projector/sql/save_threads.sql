insert into pawl.review_thread (
       pull_request, id, resolved, stated, commented, live, provider_updated_at, version, folded_at)
select x.pull_request, x.id, x.resolved, x.stated, x.commented, x.live::text[], x.provider_updated_at, x.version, $9
  from unnest(
       $1::text[], $2::text[], $3::boolean[], $4::boolean[], $5::boolean[], $6::text[], $7::timestamptz[], $8::bigint[]
       ) as x (
       pull_request, id, resolved, stated, commented, live, provider_updated_at, version)
    on conflict (pull_request, id) do update
   set resolved = excluded.resolved,
       stated = excluded.stated,
       commented = excluded.commented,
       live = excluded.live,
       provider_updated_at = excluded.provider_updated_at,
       version = excluded.version,
       folded_at = excluded.folded_at
