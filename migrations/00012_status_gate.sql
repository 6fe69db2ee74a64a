-- Decisions that wait for a component of a status page.

-- +goose Up
alter table pawl.decision add column waits_for text[];
comment on column pawl.decision.waits_for is 'Components of status pages whose status alone made the condition false: a change of one has it decided again. Null: it waits for none, or a later decision of the rule took its place.';

-- a component changed: what waits for it
create index decision_waits on pawl.decision using gin (waits_for) where waits_for is not null;
-- a later decision of the rule takes the place of the one that waits
create index decision_waiting_entity on pawl.decision (entity_key, rule) where waits_for is not null;

-- +goose Down
drop index pawl.decision_waiting_entity;
drop index pawl.decision_waits;
alter table pawl.decision drop column waits_for;
