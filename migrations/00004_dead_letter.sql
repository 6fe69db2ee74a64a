-- What could not be folded, published or done, set aside with the reason.

-- +goose Up
create table pawl.dead_letter (
  id             bigint      not null generated always as identity,
  stage          text        not null,
  topic          text,
  log_partition  integer,
  log_offset     bigint,
  entity_key     text        not null,
  source         text,
  delivery_id    text,
  mutation_id    bigint,
  reason         text        not null,
  headers        json,
  value          bytea,
  created_at     timestamptz not null,
  published_at   timestamptz,
  constraint dead_letter_pkey primary key (id),
  constraint dead_letter_stage_is_known check (stage in ('projector', 'actuator')),
  constraint dead_letter_names_its_origin check (
    (stage = 'projector' and topic is not null and log_partition is not null and log_offset is not null)
    or (stage = 'actuator' and (mutation_id is not null or topic is not null))
  ),
  constraint dead_letter_record_once unique (stage, topic, log_partition, log_offset)
);

-- relay: what pawl.dead-letters does not have yet
create index dead_letter_unpublished on pawl.dead_letter (id) where published_at is null;
-- explain: the dead letters of one entity
create index dead_letter_entity on pawl.dead_letter (entity_key);

comment on table  pawl.dead_letter is 'Records that could not be folded and mutations that could not be done. Nothing is silently dropped (I14).';
comment on column pawl.dead_letter.id is 'Order of arrival.';
comment on column pawl.dead_letter.stage is 'projector: a record. actuator: a mutation, or a transition that could not be read.';
comment on column pawl.dead_letter.topic is 'Topic of the record.';
comment on column pawl.dead_letter.log_partition is 'Partition of the record.';
comment on column pawl.dead_letter.log_offset is 'Offset of the record.';
comment on column pawl.dead_letter.entity_key is 'Entity.';
comment on column pawl.dead_letter.source is 'Source of the delivery.';
comment on column pawl.dead_letter.delivery_id is 'Delivery.';
comment on column pawl.dead_letter.mutation_id is 'Mutation that could not be done.';
comment on column pawl.dead_letter.reason is 'Why, with what to do where that is known.';
comment on column pawl.dead_letter.headers is 'Headers of the record: an array of [name, value].';
comment on column pawl.dead_letter.value is 'Value of the record, byte for byte.';
comment on column pawl.dead_letter.created_at is 'When it was set aside.';
comment on column pawl.dead_letter.published_at is 'When the relay appended it to pawl.dead-letters.';

-- +goose Down
drop table pawl.dead_letter;
