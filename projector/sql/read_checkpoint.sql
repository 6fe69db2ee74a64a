select next_offset
  from pawl.checkpoint
 where topic = $1
   and log_partition = $2
   and epoch = $3
