select entity_key, instance, page_id, component_id, coalesce(name, ''), coalesce(description, ''), coalesce(group_id, ''),
       status, coalesce(status_before, ''), provider_updated_at, version, needs_read
  from pawl.status_component
 where entity_key = any($1)
 order by entity_key
   for update
