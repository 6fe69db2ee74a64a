insert into pawl.comment (
       entity_key, kind, parent, thread, state, author, author_is_bot, body, url, created_at,
       provider_updated_at, announced, version, needs_read, removed_at, folded_at)
select x.entity_key, x.kind, x.parent, nullif(x.thread, ''), x.state, nullif(x.author, ''), x.author_is_bot,
       nullif(x.body, ''), nullif(x.url, ''), x.created_at, x.provider_updated_at, x.announced,
       x.version, x.needs_read, x.removed_at, $16
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::text[],
       $10::timestamptz[], $11::timestamptz[], $12::boolean[], $13::bigint[], $14::boolean[], $15::timestamptz[]
       ) as x (
       entity_key, kind, parent, thread, state, author, author_is_bot, body, url, created_at,
       provider_updated_at, announced, version, needs_read, removed_at)
    on conflict (entity_key) do update
   set state = excluded.state,
       body = excluded.body,
       provider_updated_at = excluded.provider_updated_at,
       announced = excluded.announced,
       version = excluded.version,
       needs_read = excluded.needs_read,
       removed_at = excluded.removed_at,
       folded_at = excluded.folded_at
