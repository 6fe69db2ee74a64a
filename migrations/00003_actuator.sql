-- Decisions, mutations and the lease under which one actor serves an entity.

-- +goose Up
create table pawl.decision (
  transition_id  text        not null,
  rule           text        not null,
  entity_key     text        not null,
  outcome        text        not null,
  reason         text        not null,
  rules_hash     text        not null,
  mode           text        not null,
  decided_at     timestamptz not null,
  constraint decision_pkey primary key (transition_id, rule),
  constraint decision_outcome_is_known check (outcome in ('mutate', 'no', 'repeat', 'error')),
  constraint decision_mode_is_known check (mode in ('act', 'plan'))
);

-- explain: the decisions about one entity
create index decision_entity on pawl.decision (entity_key, decided_at);

comment on table  pawl.decision is 'What each rule made of each transition it listens to, and why.';
comment on column pawl.decision.transition_id is 'The transition decided on.';
comment on column pawl.decision.rule is 'Name of the rule.';
comment on column pawl.decision.entity_key is 'Entity that the mutation would change.';
comment on column pawl.decision.outcome is 'mutate: mutations were opened. no: the condition does not hold. repeat: the idempotency key is held by an earlier mutation. error: the condition could not be evaluated.';
comment on column pawl.decision.reason is 'The condition and the values it saw, or the mutation that holds the key.';
comment on column pawl.decision.rules_hash is 'Hash of the rules that decided.';
comment on column pawl.decision.mode is 'act or plan.';
comment on column pawl.decision.decided_at is 'When, on our clock.';

create table pawl.mutation (
  id               bigint      not null generated always as identity,
  entity_key       text        not null,
  rule             text        not null,
  kind             text        not null,
  params           json        not null,
  idempotency_key  text        not null,
  state            text        not null,
  reason           text,
  transition_id    text        not null,
  position         integer     not null,
  transition       json        not null,
  attempt          integer     not null default 0,
  next_attempt_at  timestamptz not null,
  fence            bigint,
  claimed_by       text,
  created_at       timestamptz not null,
  claimed_at       timestamptz,
  settled_at       timestamptz,
  constraint mutation_pkey primary key (id),
  constraint mutation_state_is_known check (state in ('planned', 'waiting', 'pending', 'claimed', 'done', 'skipped', 'cancelled', 'dead')),
  constraint mutation_settled_iff_settled_at check ((state in ('done', 'skipped', 'cancelled', 'dead')) = (settled_at is not null)),
  constraint mutation_claimed_has_fence check (state <> 'claimed' or fence is not null),
  constraint mutation_attempt_is_not_negative check (attempt >= 0)
);

-- I10, I11: a key is held by one mutation; skipped and cancelled gave it back
create unique index mutation_key_is_held_once on pawl.mutation (idempotency_key)
  where state not in ('skipped', 'cancelled');
-- claim: entities with work, oldest first
create index mutation_to_do on pawl.mutation (next_attempt_at, entity_key)
  where state in ('pending', 'claimed');
-- act: the unsettled mutations of one entity in order; explain: all of them
create index mutation_entity on pawl.mutation (entity_key, id);
-- explain: what followed from a transition
create index mutation_transition on pawl.mutation (transition_id);

comment on table  pawl.mutation is 'Changes that rules want made at a provider, each with the key of an effect that must happen once.';
comment on column pawl.mutation.id is 'Order within an entity.';
comment on column pawl.mutation.entity_key is 'The entity to change.';
comment on column pawl.mutation.rule is 'Name of the rule that wants it.';
comment on column pawl.mutation.kind is 'comment, close, merge, add_labels, remove_labels, …';
comment on column pawl.mutation.params is 'Parameters with templates rendered; the head sha decided on.';
comment on column pawl.mutation.idempotency_key is 'Hash of rule, kind, place in the rule, entity and scope.';
comment on column pawl.mutation.state is 'planned, waiting, pending, claimed, done, skipped, cancelled or dead.';
comment on column pawl.mutation.reason is 'What was found gone, what failed, or how it was found done.';
comment on column pawl.mutation.transition_id is 'The transition it was decided on.';
comment on column pawl.mutation.position is 'Place in the rule''s list of mutations, from 0.';
comment on column pawl.mutation.transition is 'The transition itself, for asking the condition again.';
comment on column pawl.mutation.attempt is 'Attempts begun.';
comment on column pawl.mutation.next_attempt_at is 'Not before this time, on the database''s clock.';
comment on column pawl.mutation.fence is 'Fence of the lease it was last claimed under; a settle under another changes nothing (I9).';
comment on column pawl.mutation.claimed_by is 'The actor that last claimed it.';
comment on column pawl.mutation.created_at is 'Decided at.';
comment on column pawl.mutation.claimed_at is 'Last claimed at.';
comment on column pawl.mutation.settled_at is 'Ended at.';

-- +goose StatementBegin
create function pawl.notify_mutation() returns trigger language plpgsql as $$
begin
  perform pg_notify('pawl_mutation', '');
  return null;
end $$;
-- +goose StatementEnd
comment on function pawl.notify_mutation() is 'Wakes the actors; polling is the net under it.';
create trigger mutation_wakes_actor after insert on pawl.mutation
  for each statement execute function pawl.notify_mutation();

create table pawl.lease (
  entity_key  text        not null,
  owner       text        not null,
  fence       bigint      not null,
  expires_at  timestamptz not null,
  constraint lease_pkey primary key (entity_key),
  constraint lease_fence_is_positive check (fence > 0)
) with (fillfactor = 70);

comment on table  pawl.lease is 'Who may act on an entity, until when (I9). A crashed actor''s lease ends by itself.';
comment on column pawl.lease.entity_key is 'The entity.';
comment on column pawl.lease.owner is 'The actor that holds or last held it.';
comment on column pawl.lease.fence is 'Grows with each holder; every settle names it.';
comment on column pawl.lease.expires_at is 'End, on the database''s clock.';

-- +goose Down
drop table pawl.lease;
drop trigger mutation_wakes_actor on pawl.mutation;
drop function pawl.notify_mutation();
drop table pawl.mutation;
drop table pawl.decision;
