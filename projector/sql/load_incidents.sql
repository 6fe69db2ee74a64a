select entity_key, instance, page_id, incident_id, coalesce(name, ''), status, coalesce(impact, ''), maintenance,
       coalesce(url, ''), components, coalesce(update_id, ''), coalesce(body, ''), updates,
       created_at, resolved_at, scheduled_for, scheduled_until, provider_updated_at, version, needs_read
  from pawl.status_incident
 where entity_key = any($1)
 order by entity_key
   for update
