-- The comments that came or went since the row's counts were stated. Where no
-- snapshot stated them, all that live.
select c.parent, c.entity_key, c.kind, c.state = 'live', c.created_at, c.removed_at
  from unnest($1::text[], $2::timestamptz[]) as k (parent, since)
  join pawl.comment c
    on c.parent = k.parent
 where k.since is null
    or c.created_at is null
    or c.created_at > k.since
    or c.removed_at > k.since
