insert into pawl.comment (
       entity_key, parent, state, author, author_is_bot, body, url, created_at,
       provider_updated_at, announced, version, needs_read, folded_at)
select x.entity_key, x.parent, x.state, nullif(x.author, ''), x.author_is_bot,
       nullif(x.body, ''), nullif(x.url, ''), x.created_at, x.provider_updated_at, x.announced,
       x.version, x.needs_read, $13
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[],
       $8::timestamptz[], $9::timestamptz[], $10::boolean[], $11::bigint[], $12::boolean[]
       ) as x (
       entity_key, parent, state, author, author_is_bot, body, url, created_at,
       provider_updated_at, announced, version, needs_read)
    on conflict (entity_key) do update
   set state = excluded.state,
       body = excluded.body,
       provider_updated_at = excluded.provider_updated_at,
       announced = excluded.announced,
       version = excluded.version,
       needs_read = excluded.needs_read,
       folded_at = excluded.folded_at
