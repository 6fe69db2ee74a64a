insert into pawl.comment (
       entity_key, kind, parent, thread, issue, state, author, author_is_bot, body, url, created_at,
       provider_updated_at, announced, version, needs_read, removed_at, missed_at, folded_at)
select x.entity_key, x.kind, x.parent, nullif(x.thread, ''), nullif(x.issue, ''), x.state, nullif(x.author, ''), x.author_is_bot,
       nullif(x.body, ''), nullif(x.url, ''), x.created_at, x.provider_updated_at, x.announced,
       x.version, x.needs_read, x.removed_at, x.missed_at, $18
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::text[], $10::text[],
       $11::timestamptz[], $12::timestamptz[], $13::boolean[], $14::bigint[], $15::boolean[], $16::timestamptz[], $17::timestamptz[]
       ) as x (
       entity_key, kind, parent, thread, issue, state, author, author_is_bot, body, url, created_at,
       provider_updated_at, announced, version, needs_read, removed_at, missed_at)
    on conflict (entity_key) do update
   set parent = excluded.parent,
       issue = excluded.issue,
       state = excluded.state,
       author = excluded.author,
       author_is_bot = excluded.author_is_bot,
       body = excluded.body,
       url = excluded.url,
       created_at = excluded.created_at,
       provider_updated_at = excluded.provider_updated_at,
       announced = excluded.announced,
       version = excluded.version,
       needs_read = excluded.needs_read,
       removed_at = excluded.removed_at,
       missed_at = excluded.missed_at,
       folded_at = excluded.folded_at
