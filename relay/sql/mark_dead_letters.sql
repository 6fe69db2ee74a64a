update pawl.dead_letter
set published_at = $1
where id = any($2::bigint[])
