-- Returns how many were new: xmax is 0 on a row that was inserted.
with saved as (
  insert into pawl.status_component as c (
         entity_key, instance, page_id, component_id, name, description, group_id, status, status_before,
         provider_updated_at, version, needs_read, folded_at)
  select x.entity_key, x.instance, x.page_id, x.component_id, nullif(x.name, ''), nullif(x.description, ''),
         nullif(x.group_id, ''), x.status, nullif(x.status_before, ''), x.provider_updated_at, x.version, x.needs_read, $13
    from unnest(
         $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::timestamptz[], $11::bigint[], $12::boolean[]
         ) as x (
         entity_key, instance, page_id, component_id, name, description, group_id, status, status_before,
         provider_updated_at, version, needs_read)
      on conflict (entity_key) do update
     set name = excluded.name,
         description = excluded.description,
         group_id = excluded.group_id,
         status = excluded.status,
         status_before = excluded.status_before,
         provider_updated_at = excluded.provider_updated_at,
         version = excluded.version,
         needs_read = excluded.needs_read,
         folded_at = excluded.folded_at
  returning (c.xmax = 0) as is_new
)
select count(*) filter (where is_new) from saved
