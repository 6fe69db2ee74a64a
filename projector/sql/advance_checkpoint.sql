-- Compare and advance: no row means that the partition has another owner, or
-- that the batch was committed before (I4).
update pawl.checkpoint
   set next_offset = $5,
       log_end = $6,
       log_start = $7,
       last_event_at = coalesce($8, last_event_at),
       stopped_reason = null,
       updated_at = $9
 where topic = $1
   and log_partition = $2
   and epoch = $3
   and next_offset = $4
