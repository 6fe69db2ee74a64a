update pawl.lease
   set expires_at = now()
 where entity_key = $1
   and fence = $2
