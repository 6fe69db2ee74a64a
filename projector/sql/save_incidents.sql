insert into pawl.status_incident (
       entity_key, instance, page_id, incident_id, name, status, impact, maintenance, url, components, update_id, body,
       updates, created_at, resolved_at, scheduled_for, scheduled_until, provider_updated_at, version, needs_read, folded_at)
select x.entity_key, x.instance, x.page_id, x.incident_id, nullif(x.name, ''), x.status, nullif(x.impact, ''), x.maintenance,
       nullif(x.url, ''), x.components::text[], nullif(x.update_id, ''), nullif(x.body, ''), x.updates, x.created_at,
       x.resolved_at, x.scheduled_for, x.scheduled_until, x.provider_updated_at, x.version, x.needs_read, $21
  from unnest(
       $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::text[],
       $10::text[], $11::text[], $12::text[], $13::bigint[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[],
       $17::timestamptz[], $18::timestamptz[], $19::bigint[], $20::boolean[]
       ) as x (
       entity_key, instance, page_id, incident_id, name, status, impact, maintenance, url, components, update_id, body,
       updates, created_at, resolved_at, scheduled_for, scheduled_until, provider_updated_at, version, needs_read)
    on conflict (entity_key) do update
   set name = excluded.name,
       status = excluded.status,
       impact = excluded.impact,
       maintenance = excluded.maintenance,
       url = excluded.url,
       components = excluded.components,
       update_id = excluded.update_id,
       body = excluded.body,
       updates = excluded.updates,
       created_at = excluded.created_at,
       resolved_at = excluded.resolved_at,
       scheduled_for = excluded.scheduled_for,
       scheduled_until = excluded.scheduled_until,
       provider_updated_at = excluded.provider_updated_at,
       version = excluded.version,
       needs_read = excluded.needs_read,
       folded_at = excluded.folded_at
