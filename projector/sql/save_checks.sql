insert into pawl.commit_check (
       commit_key, kind, app, name, attempt, retry, status, conclusion, state, url,
       started_at, completed_at, provider_updated_at, received_at, version, folded_at)
select x.commit_key, x.kind, x.app, x.name, x.attempt, x.retry, x.status, nullif(x.conclusion, ''), x.state, nullif(x.url, ''),
       x.started_at, x.completed_at, x.provider_updated_at, x.received_at, x.version, $16
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
       $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[], $14::timestamptz[], $15::bigint[]
       ) as x (
       commit_key, kind, app, name, attempt, retry, status, conclusion, state, url,
       started_at, completed_at, provider_updated_at, received_at, version)
    on conflict (commit_key, kind, app, name) do update
   set attempt = excluded.attempt,
       retry = excluded.retry,
       status = excluded.status,
       conclusion = excluded.conclusion,
       state = excluded.state,
       url = excluded.url,
       started_at = excluded.started_at,
       completed_at = excluded.completed_at,
       provider_updated_at = excluded.provider_updated_at,
       received_at = excluded.received_at,
       version = excluded.version,
       folded_at = excluded.folded_at
