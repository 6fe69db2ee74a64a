select stage, entity_key, topic, mutation_id, coalesce(headers, '[]'), value
  from pawl.dead_letter
 where id = $1
   and resolved_at is null
   for update
