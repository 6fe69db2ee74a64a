-- Ends a claim. Both the mutation and the lease must still be under the fence
-- of the claim; otherwise nothing changes and 0 is returned (I9). The later
-- mutations of the same decision follow: a refusal cancels them, or has them wait
-- for the person who retries or drops the dead one, and an effect lets go those
-- that waited. A skipped one is retried by nobody.
with settled as (
  update pawl.mutation m
     set state = $3::text,
         reason = nullif($4::text, ''),
         attempt = m.attempt - $5::int,
         next_attempt_at = now() + $6::interval,
         settled_at = case when $3::text in ('done', 'skipped', 'dead') then now() end,
         seen = coalesce(nullif($8::text, ''), m.seen),
         sent = coalesce(nullif($9::text, ''), m.sent),
         answer = coalesce(nullif($10::text, ''), m.answer)
   where m.id = $1
     and m.fence = $2
     and m.state = 'claimed'
     and exists (select from pawl.lease l where l.entity_key = m.entity_key and l.fence = $2)
  returning m.id, m.entity_key, m.transition, m.transition_id, m.rule, m.position, m.on_refusal
), buried as (
  insert into pawl.dead_letter (stage, entity_key, source, delivery_id, mutation_id, reason, value, created_at)
  select 'actuator', entity_key, transition->'cause'->>'source', transition->'cause'->>'delivery_id', id,
         $4::text, $7::bytea, now()
    from settled
   where $3::text = 'dead'
), followed as (
  update pawl.mutation later
     set state = case
           when $3::text = 'done' then 'pending'
           when s.on_refusal = 'cancel' or $3::text = 'skipped' then 'cancelled'
           else 'waiting' end,
         next_attempt_at = case
           when $3::text = 'done' then now()
           when s.on_refusal = 'wait' and $3::text = 'dead' then 'infinity'
           else later.next_attempt_at end,
         settled_at = case when $3::text = 'skipped' or $3::text = 'dead' and s.on_refusal = 'cancel' then now() end,
         reason = case
           when $3::text = 'done' then later.reason
           when s.on_refusal = 'cancel' or $3::text = 'skipped' then 'an earlier mutation of the decision was refused: ' || $4::text
           else 'waits for an earlier mutation of the decision that was refused' end
    from settled s
   where later.transition_id = s.transition_id
     and later.rule = s.rule
     and later.position > s.position
     and case
           when $3::text = 'done' then later.state = 'waiting' and later.next_attempt_at = 'infinity' and not exists (
             select from pawl.mutation other
              where other.transition_id = s.transition_id
                and other.rule = s.rule
                and other.position < later.position
                and other.id <> s.id
                and other.state = 'dead'
                and other.on_refusal = 'wait')
           when $3::text in ('skipped', 'dead') and s.on_refusal <> 'go_on' then later.state in ('pending', 'waiting')
           else false end
  returning later.kind, later.state
)
select (select count(*) from settled),
       (select coalesce(array_agg(kind), '{}') from followed),
       (select coalesce(array_agg(state), '{}') from followed)
