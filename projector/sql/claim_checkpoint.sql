insert into pawl.checkpoint as c (topic, log_partition, next_offset, epoch, owner, updated_at)
values ($1, $2, 0, 1, $3, now())
on conflict (topic, log_partition) do update
set epoch = c.epoch + 1,
    owner = excluded.owner,
    stopped_reason = null,
    updated_at = excluded.updated_at
returning next_offset, epoch
