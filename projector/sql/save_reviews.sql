insert into pawl.pull_request_review (
       pull_request, id, author, author_is_bot, state, head_sha, body, url, submitted_at, provider_updated_at, version, folded_at)
select x.pull_request, x.id, nullif(x.author, ''), x.author_is_bot, x.state, nullif(x.head_sha, ''), nullif(x.body, ''),
       nullif(x.url, ''), x.submitted_at, x.provider_updated_at, x.version, $12
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::timestamptz[], $10::timestamptz[], $11::bigint[]
       ) as x (
       pull_request, id, author, author_is_bot, state, head_sha, body, url, submitted_at, provider_updated_at, version)
    on conflict (pull_request, id) do update
   set state = excluded.state,
       head_sha = excluded.head_sha,
       body = excluded.body,
       submitted_at = excluded.submitted_at,
       provider_updated_at = excluded.provider_updated_at,
       version = excluded.version,
       folded_at = excluded.folded_at
