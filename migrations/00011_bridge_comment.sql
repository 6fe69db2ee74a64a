-- Mirrors of comments: one transition is decided on for several pull requests.

-- +goose Up
alter table pawl.decision
  drop constraint decision_pkey,
  add constraint decision_pkey primary key (transition_id, rule, entity_key);

-- where a comment has mirrors: each change of it is carried over to them
create index mutation_mirror on pawl.mutation ((params->>'comment')) where kind = 'bridge_comment';

-- +goose Down
drop index pawl.mutation_mirror;
delete from pawl.decision d
 using pawl.decision other
 where d.transition_id = other.transition_id and d.rule = other.rule and d.entity_key > other.entity_key;
alter table pawl.decision
  drop constraint decision_pkey,
  add constraint decision_pkey primary key (transition_id, rule);
