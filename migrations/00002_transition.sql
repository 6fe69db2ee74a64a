-- Transitions, and the outbox from which the relay appends them to the log.

-- +goose Up
create table pawl.transition (
  id             text        not null,
  entity_key     text        not null,
  kind           text        not null,
  from_value     text,
  to_value       text,
  source         text        not null,
  delivery_id    text        not null,
  topic          text        not null,
  log_partition  integer     not null,
  log_offset     bigint      not null,
  value          json        not null,
  folded_at      timestamptz not null,
  constraint transition_pkey primary key (id)
) with (toast_tuple_target = 8160); -- compressing 2 KB values costs more than all else in the insert

-- explain and pull_request_timeline: the transitions of one entity in order
create index transition_entity on pawl.transition (entity_key, log_offset);

comment on table  pawl.transition is 'Differences between two folded states, each with its cause (I8).';
comment on column pawl.transition.id is 'Hash of entity, kind, from, to and cause: a second folding yields the same id.';
comment on column pawl.transition.entity_key is 'The entity that changed.';
comment on column pawl.transition.kind is 'opened, closed, merged, head_changed, …';
comment on column pawl.transition.from_value is 'Value before; null at first sight. A list (labels) is a JSON array.';
comment on column pawl.transition.to_value is 'Value after.';
comment on column pawl.transition.source is 'Source of the delivery that caused it.';
comment on column pawl.transition.delivery_id is 'Delivery that caused it.';
comment on column pawl.transition.topic is 'Topic of the record that caused it.';
comment on column pawl.transition.log_partition is 'Partition of the record that caused it.';
comment on column pawl.transition.log_offset is 'Offset of the record that caused it.';
comment on column pawl.transition.value is 'The value published to pawl.transitions, byte for byte.';
comment on column pawl.transition.folded_at is 'When the projector committed it.';

create table pawl.outbox (
  id             bigint  not null generated always as identity,
  shard          integer not null,
  transition_id  text    not null,
  partition_key  text    not null,
  created_at     timestamptz not null,
  -- in the order in which a relay reads: the oldest rows of a shard
  constraint outbox_pkey primary key (shard, id)
);

comment on table  pawl.outbox is 'Transitions not yet appended to pawl.transitions. The relay deletes a row once the log has it.';
comment on column pawl.outbox.id is 'Order within a shard.';
comment on column pawl.outbox.shard is 'Partition of the causing record. One relay at a time serves a shard, so an entity keeps its order.';
comment on column pawl.outbox.transition_id is 'The transition to publish.';
comment on column pawl.outbox.partition_key is 'Key of the published record.';
comment on column pawl.outbox.created_at is 'When the projector wrote the row.';

-- +goose StatementBegin
create function pawl.notify_outbox() returns trigger language plpgsql as $$
begin
  perform pg_notify('pawl_outbox', '');
  return null;
end $$;
-- +goose StatementEnd
comment on function pawl.notify_outbox() is 'Wakes the relays; polling is the net under it.';
create trigger outbox_wakes_relay after insert on pawl.outbox
  for each statement execute function pawl.notify_outbox();

-- +goose Down
drop trigger outbox_wakes_relay on pawl.outbox;
drop function pawl.notify_outbox();
drop table pawl.outbox;
drop table pawl.transition;
