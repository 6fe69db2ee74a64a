select entity_key, status
  from pawl.status_component
 where entity_key = any($1)
