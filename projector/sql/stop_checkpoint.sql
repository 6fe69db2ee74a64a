update pawl.checkpoint
   set stopped_reason = nullif($4, ''),
       log_start = $5,
       log_end = $6,
       updated_at = now()
 where topic = $1
   and log_partition = $2
   and epoch = $3
