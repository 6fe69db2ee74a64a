-- The folded state, the verdict of every record, and the checkpoint that is
-- advanced with them in one transaction (I4).

-- +goose Up
create schema if not exists pawl;

create table pawl.pull_request (
  entity_key           text        not null,
  instance             text        not null,
  repository_id        text        not null,
  repository           text        not null,
  number               bigint      not null,
  title                text,
  body                 text,
  author               text,
  author_is_bot        boolean     not null default false,
  state                text        not null,
  draft                boolean     not null default false,
  locked               boolean     not null default false,
  head_sha             text,
  head_ref             text,
  head_repository_id   text,
  base_ref             text,
  base_sha             text,
  labels               text[]      not null default '{}',
  milestone            text,
  requested_reviewers  text[]      not null default '{}',
  assignees            text[]      not null default '{}',
  auto_merge           boolean     not null default false,
  merge_commit_sha     text,
  checks_state         text        not null default 'none',
  approvals            bigint      not null default 0,
  changes_requested    bigint      not null default 0,
  comments             bigint      not null default 0,
  review_comments      bigint      not null default 0,
  commits              bigint      not null default 0,
  additions            bigint      not null default 0,
  deletions            bigint      not null default 0,
  changed_files        bigint      not null default 0,
  created_at           timestamptz,
  closed_at            timestamptz,
  merged_at            timestamptz,
  provider_updated_at  timestamptz,
  version              bigint      not null,
  needs_read           boolean     not null default false,
  needs_read_reason    text,
  arrival              json        not null default '{}',
  folded_at            timestamptz not null,
  constraint pull_request_pkey primary key (entity_key),
  constraint pull_request_state_is_known check (state in ('open', 'closed', 'merged')),
  constraint pull_request_checks_state_is_known check (checks_state in ('none', 'pending', 'success', 'failure')),
  constraint pull_request_number_is_positive check (number > 0),
  constraint pull_request_version_is_positive check (version > 0),
  constraint pull_request_open_has_no_closed_at check (closed_at is null or state <> 'open'),
  constraint pull_request_merged_at_only_when_merged check (merged_at is null or state = 'merged'),
  constraint pull_request_reason_only_when_needs_read check (needs_read_reason is null or needs_read)
) with (fillfactor = 80, toast_tuple_target = 8160);

-- explain acme/api#7, and every query by the name people know
create index pull_request_repository on pawl.pull_request (repository, number);
-- the open pull requests of a repository; who waits for a read
create index pull_request_open on pawl.pull_request (repository_id) where state = 'open';
create index pull_request_needs_read on pawl.pull_request (entity_key) where needs_read;
-- No index names folded_at or another column that each fold changes: the rows
-- could not be updated in place (HOT).

comment on table  pawl.pull_request is 'One row per pull request, the fold of its deliveries; it only moves forward by the provider''s clock (I5, I6).';
comment on column pawl.pull_request.entity_key is 'instance:repository id#number, the partition key of its records; survives rename and transfer.';
comment on column pawl.pull_request.instance is 'Host of the provider: github.com, or the host a source is configured with.';
comment on column pawl.pull_request.repository_id is 'The provider''s id of the repository the pull request is against. Text: some providers use UUIDs.';
comment on column pawl.pull_request.repository is 'Full name of the repository as of the newest snapshot: acme/api.';
comment on column pawl.pull_request.number is 'The number people see: 7 of acme/api#7.';
comment on column pawl.pull_request.title is 'Title; null while no payload has stated it.';
comment on column pawl.pull_request.body is 'Description; null where empty or never stated.';
comment on column pawl.pull_request.author is 'Login of the author; null for a deleted account.';
comment on column pawl.pull_request.author_is_bot is 'The author is a bot or an app.';
comment on column pawl.pull_request.state is 'open, closed (without merge) or merged. merged is final.';
comment on column pawl.pull_request.draft is 'A draft: not ready for review.';
comment on column pawl.pull_request.locked is 'The conversation is locked.';
comment on column pawl.pull_request.head_sha is 'Commit at the head, from the snapshot.';
comment on column pawl.pull_request.head_ref is 'Branch of the head.';
comment on column pawl.pull_request.head_repository_id is 'Repository of the head; null when it is gone (fork deleted) or unknown. Differs from repository_id for forks.';
comment on column pawl.pull_request.base_ref is 'Branch it is to be merged into.';
comment on column pawl.pull_request.base_sha is 'Commit of the base as of the snapshot.';
comment on column pawl.pull_request.labels is 'Names of the labels, sorted.';
comment on column pawl.pull_request.milestone is 'Title of the milestone.';
comment on column pawl.pull_request.requested_reviewers is 'Logins of requested reviewers, sorted.';
comment on column pawl.pull_request.assignees is 'Logins of assignees, sorted.';
comment on column pawl.pull_request.auto_merge is 'The provider is asked to merge by itself when its conditions hold: an intent, not a state.';
comment on column pawl.pull_request.merge_commit_sha is 'The merge commit once merged; before that the provider''s test merge.';
comment on column pawl.pull_request.checks_state is 'Rollup of the checks of the head commit: none, pending, success, failure.';
comment on column pawl.pull_request.approvals is 'People whose latest review approves.';
comment on column pawl.pull_request.changes_requested is 'People whose latest review requests changes.';
comment on column pawl.pull_request.comments is 'Comments, as the newest snapshot counts them.';
comment on column pawl.pull_request.review_comments is 'Review comments, as the newest snapshot counts them.';
comment on column pawl.pull_request.commits is 'Commits, as the newest snapshot counts them.';
comment on column pawl.pull_request.additions is 'Lines added.';
comment on column pawl.pull_request.deletions is 'Lines deleted.';
comment on column pawl.pull_request.changed_files is 'Files changed.';
comment on column pawl.pull_request.created_at is 'Opened at, on the provider''s clock.';
comment on column pawl.pull_request.closed_at is 'Closed or merged at, on the provider''s clock; null while open.';
comment on column pawl.pull_request.merged_at is 'Merged at, on the provider''s clock.';
comment on column pawl.pull_request.provider_updated_at is 'The watermark: the newest snapshot folded, on the provider''s clock. Null: no snapshot had a time. Never filled by our clock (I7).';
comment on column pawl.pull_request.version is 'Count of folds that changed the row.';
comment on column pawl.pull_request.needs_read is 'Payloads contradicted each other: read the provider before relying on the row.';
comment on column pawl.pull_request.needs_read_reason is 'Which contradiction asks for the read.';
comment on column pawl.pull_request.arrival is 'Marks of arrival: what the newest snapshot''s action changed. Depends on the order of deliveries; for the fold alone.';
comment on column pawl.pull_request.folded_at is 'When the row last changed, on our clock.';

create table pawl.comment (
  entity_key           text        not null,
  parent               text        not null,
  state                text        not null,
  author               text,
  author_is_bot        boolean     not null default false,
  body                 text,
  url                  text,
  created_at           timestamptz,
  provider_updated_at  timestamptz,
  announced            boolean     not null default false,
  version              bigint      not null,
  needs_read           boolean     not null default false,
  folded_at            timestamptz not null,
  constraint comment_pkey primary key (entity_key),
  constraint comment_state_is_known check (state in ('live', 'removed')),
  constraint comment_version_is_positive check (version > 0)
);

-- the comments of a pull request, in order
create index comment_parent on pawl.comment (parent, created_at);
-- apply: comments that wait for their pull request to be seen
create index comment_unannounced on pawl.comment (parent) where not announced;

comment on table  pawl.comment is 'One row per comment. A removed comment stays as a tombstone that no later delivery clears.';
comment on column pawl.comment.entity_key is 'instance:comment/id.';
comment on column pawl.comment.parent is 'Key of the pull request it stands under.';
comment on column pawl.comment.state is 'live or removed; removed is final.';
comment on column pawl.comment.author is 'Login of the author; null for a deleted account.';
comment on column pawl.comment.author_is_bot is 'The author is a bot or an app.';
comment on column pawl.comment.body is 'Text as of the newest payload; kept when removed.';
comment on column pawl.comment.url is 'Address for people.';
comment on column pawl.comment.created_at is 'Written at, on the provider''s clock.';
comment on column pawl.comment.provider_updated_at is 'The comment''s own watermark, on the provider''s clock. It never moves the pull request''s (I7).';
comment on column pawl.comment.announced is 'comment_created was derived; it waits until the pull request is known.';
comment on column pawl.comment.version is 'Count of folds that changed the row.';
comment on column pawl.comment.needs_read is 'Payloads contradicted each other: read the provider before relying on the row.';
comment on column pawl.comment.folded_at is 'When the row last changed, on our clock.';

create table pawl.delivery (
  topic                text        not null,
  log_partition        integer     not null,
  log_offset           bigint      not null,
  source               text        not null,
  delivery_id          text        not null,
  entity_key           text        not null,
  provider             text        not null,
  event                text        not null,
  action               text,
  subject              text,
  sender               text,
  verdict              text        not null,
  reason               text,
  id_reused            boolean     not null default false,
  body_hash            bytea       not null,
  provider_updated_at  timestamptz,
  received_at          timestamptz,
  folded_at            timestamptz not null,
  constraint delivery_pkey primary key (topic, log_partition, log_offset),
  constraint delivery_verdict_is_known check (verdict in ('applied', 'unchanged', 'stale', 'duplicate', 'ignored', 'dead')),
  constraint delivery_offset_is_not_negative check (log_offset >= 0)
);

-- apply: was this (source, delivery id) seen before?
create index delivery_source_delivery_id on pawl.delivery (source, delivery_id);
-- explain: the deliveries of one entity in the order of the log
create index delivery_entity on pawl.delivery (entity_key, log_offset);

comment on table  pawl.delivery is 'The verdict of every record of the log (I14). The payload itself stays in the log.';
comment on column pawl.delivery.topic is 'Topic of the record.';
comment on column pawl.delivery.log_partition is 'Partition of the record.';
comment on column pawl.delivery.log_offset is 'Offset of the record in its partition, from 0.';
comment on column pawl.delivery.source is 'Name of the configured source that took the delivery.';
comment on column pawl.delivery.delivery_id is 'The provider''s id of the delivery; with source the deduplication key.';
comment on column pawl.delivery.entity_key is 'Partition key of the record.';
comment on column pawl.delivery.provider is 'github, …';
comment on column pawl.delivery.event is 'The provider''s name of the event.';
comment on column pawl.delivery.action is 'GitHub''s action field.';
comment on column pawl.delivery.subject is 'The entity as people name it: acme/api#7.';
comment on column pawl.delivery.sender is 'Login of who caused the event at the provider.';
comment on column pawl.delivery.verdict is 'How the record ended: applied, unchanged, stale, duplicate, ignored or dead.';
comment on column pawl.delivery.reason is 'Why, in words.';
comment on column pawl.delivery.id_reused is 'Same source and delivery id as an earlier record, but another body: not a duplicate, and worth a look.';
comment on column pawl.delivery.body_hash is 'xxHash64 of the body: tells a duplicate from a reused id.';
comment on column pawl.delivery.provider_updated_at is 'The provider''s clock in the payload.';
comment on column pawl.delivery.received_at is 'When ingest received it.';
comment on column pawl.delivery.folded_at is 'When the projector committed it.';

create table pawl.checkpoint (
  topic          text        not null,
  log_partition  integer     not null,
  next_offset    bigint      not null,
  epoch          bigint      not null,
  owner          text        not null,
  log_end        bigint      not null default 0,
  log_start      bigint      not null default 0,
  last_event_at  timestamptz,
  stopped_reason text,
  updated_at     timestamptz not null,
  constraint checkpoint_pkey primary key (topic, log_partition),
  constraint checkpoint_next_offset_is_not_negative check (next_offset >= 0),
  constraint checkpoint_epoch_is_positive check (epoch > 0)
) with (fillfactor = 50);

comment on table  pawl.checkpoint is 'Per partition the next offset to fold. It moves in the transaction that writes the state, and only under the owner''s epoch (I4).';
comment on column pawl.checkpoint.topic is 'Topic.';
comment on column pawl.checkpoint.log_partition is 'Partition.';
comment on column pawl.checkpoint.next_offset is 'The next offset to fold. The offset committed to Kafka is only a hint.';
comment on column pawl.checkpoint.epoch is 'Grows with each change of owner; a commit under an older epoch fails.';
comment on column pawl.checkpoint.owner is 'Name of the projector that owns the partition.';
comment on column pawl.checkpoint.log_end is 'End offset of the partition as of the last fetch.';
comment on column pawl.checkpoint.log_start is 'First offset that the log still held as of the last fetch.';
comment on column pawl.checkpoint.last_event_at is 'Receive time of the newest record folded.';
comment on column pawl.checkpoint.stopped_reason is 'Why the projector stopped this partition: the checkpoint lies outside the log. Null while it runs.';
comment on column pawl.checkpoint.updated_at is 'When the row last changed, on our clock.';

-- +goose Down
drop table pawl.checkpoint;
drop table pawl.delivery;
drop table pawl.comment;
drop table pawl.pull_request;
