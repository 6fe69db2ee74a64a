-- A transition that could not be read, once for its place in the log.
insert into pawl.dead_letter (stage, topic, log_partition, log_offset, entity_key, reason, headers, value, created_at)
values ('actuator', $1, $2, $3, $4, $5, $6, $7, now())
on conflict (stage, topic, log_partition, log_offset) do nothing
