-- The outbox rows of transitions that are new. An id that is there already was
-- written by an earlier folding of the same record, and is not published again
-- (I8, I13). It runs before save_transitions, in the same transaction.
insert into pawl.outbox (shard, transition_id, partition_key, created_at)
select x.shard, x.id, x.partition_key, $4
  from unnest($1::text[], $2::text[], $3::integer[]) with ordinality as x (id, partition_key, shard, place)
 where not exists (select from pawl.transition t where t.id = x.id)
 order by x.place
