update pawl.dead_letter
   set resolved_at = now(),
       resolution = $2
 where id = $1
