select entity_key, instance, repository_id, repository, state, private, provider_updated_at, version
  from pawl.repository
 where entity_key = any($1)
