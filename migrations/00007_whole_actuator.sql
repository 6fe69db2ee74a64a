-- Rules that wait, mutations that hang together, the evidence of each act, and
-- dead letters that people retry or drop.

-- +goose Up
alter table pawl.mutation
  add column on_refusal  text not null default 'go_on',
  add column seen        text,
  add column sent        text,
  add column answer      text,
  add constraint mutation_on_refusal_is_known check (on_refusal in ('cancel', 'wait', 'go_on'));

alter table pawl.mutation alter column on_refusal set default 'cancel';

-- act: mutations whose time has come
create index mutation_waiting on pawl.mutation (next_attempt_at) where state = 'waiting';
-- decide: mutations of one entity that a contrary state cancels
create index mutation_waiting_entity on pawl.mutation (entity_key) where state = 'waiting';

comment on column pawl.mutation.on_refusal is 'What becomes of the later mutations of the same decision when this one is refused: cancel, wait (until a person retries or drops it), go_on.';
comment on column pawl.mutation.seen is 'What the last look at the provider found.';
comment on column pawl.mutation.sent is 'The last call that changes: method and path. Never a secret.';
comment on column pawl.mutation.answer is 'How the provider answered it: status, and its message in short.';
comment on column pawl.mutation.next_attempt_at is 'Not before this time, on the database''s clock. For a waiting mutation, when it is decided again; infinity waits for a person.';

alter table pawl.decision add column "values" json;
comment on column pawl.decision."values" is 'The parts of the condition with their values, and the values of the variables in them, in short.';

alter table pawl.dead_letter
  add column resolved_at  timestamptz,
  add column resolution   text,
  add constraint dead_letter_resolution_is_known check (resolution in ('retried', 'dropped')),
  add constraint dead_letter_resolved_iff_resolution check ((resolved_at is null) = (resolution is null));

-- dead-letters list, and the metric: what waits for a person
create index dead_letter_open on pawl.dead_letter (id) where resolved_at is null;
-- settle: the dead letter of a mutation that was retried
create index dead_letter_mutation on pawl.dead_letter (mutation_id) where mutation_id is not null;

comment on column pawl.dead_letter.resolved_at is 'When a person retried or dropped it; null while it waits.';
comment on column pawl.dead_letter.resolution is 'retried or dropped.';

-- +goose Down
drop index pawl.dead_letter_mutation;
drop index pawl.dead_letter_open;
alter table pawl.dead_letter drop column resolution, drop column resolved_at;
alter table pawl.decision drop column "values";
drop index pawl.mutation_waiting_entity;
drop index pawl.mutation_waiting;
alter table pawl.mutation drop column on_refusal, drop column seen, drop column sent, drop column answer;
