-- All of a pull request: the checks of its head, its reviews and threads, the
-- issues that it names, the merge queue, and the repository it is in.

-- +goose Up
alter table pawl.pull_request
  add column head_commit         text,
  add column queued              boolean not null default false,
  add column dequeued_reason     text,
  add column approvals_of_head   bigint  not null default 0,
  add column unresolved_threads  bigint  not null default 0,
  add column checks              json    not null default '[]',
  add column reviews             json    not null default '[]',
  add column links               text[]  not null default '{}';

-- apply: the pull requests whose head a commit is
create index pull_request_head_commit on pawl.pull_request (head_commit);
-- apply: the pull requests of a repository that was renamed
create index pull_request_repository_id on pawl.pull_request (instance, repository_id);

comment on column pawl.pull_request.head_commit is 'Key of the commit that the head''s checks hang on: commit_rollup.entity_key, commit_check.commit_key.';
comment on column pawl.pull_request.queued is 'It is in the merge queue.';
comment on column pawl.pull_request.dequeued_reason is 'Why it last left the merge queue, in the provider''s word; MERGE is no failure. Null while it is queued and where it never was.';
comment on column pawl.pull_request.approvals_of_head is 'Of approvals, those given to the head as it is now.';
comment on column pawl.pull_request.unresolved_threads is 'Review threads that are not resolved and have a comment left.';
comment on column pawl.pull_request.checks is 'The checks of the head that count, by name, as rules see them: app, name, state, status, conclusion. All results stand in commit_check.';
comment on column pawl.pull_request.reviews is 'The latest review of each person, by login, as rules see them: author, author_is_bot, state, head_sha, submitted_at. All stand in pull_request_review.';
comment on column pawl.pull_request.links is 'Issues that title, body and branch name, sorted: acme/api#12, ENG-123. How each is named stands in issue_link.';
comment on column pawl.pull_request.comments is 'Comments: what the newest snapshot counts, and those that came or went since; where no snapshot counts them, those that are known.';
comment on column pawl.pull_request.review_comments is 'Review comments, counted like comments.';
comment on column pawl.pull_request.checks_state is 'Rollup of the checks of the head commit: none, pending, success, failure. Results from before the last move of the base do not count.';
comment on column pawl.pull_request.approvals is 'People whose latest review approves. A review that only comments supersedes none.';

alter table pawl.comment
  add column kind        text not null default 'conversation',
  add column thread      text,
  add column removed_at  timestamptz,
  add constraint comment_kind_is_known check (kind in ('conversation', 'review')),
  add constraint comment_removed_at_only_when_removed check (removed_at is null or state = 'removed');

comment on column pawl.comment.kind is 'conversation: under the pull request itself; review: on a line of its changes.';
comment on column pawl.comment.thread is 'Review thread it belongs to: review_thread.id.';
comment on column pawl.comment.removed_at is 'Removed at, on the provider''s clock; null where no payload says.';

create table pawl.commit_rollup (
  entity_key          text        not null,
  instance            text        not null,
  repository_id       text        not null,
  repository          text,
  sha                 text        not null,
  state               text        not null default 'none',
  total               bigint      not null default 0,
  pending             bigint      not null default 0,
  succeeded           bigint      not null default 0,
  failed              bigint      not null default 0,
  merge_group         text,
  merge_group_reason  text,
  merge_group_ref     text,
  version             bigint      not null,
  folded_at           timestamptz not null,
  constraint commit_rollup_pkey primary key (entity_key),
  constraint commit_rollup_state_is_known check (state in ('none', 'pending', 'success', 'failure')),
  constraint commit_rollup_counts_add_up check (total = pending + succeeded + failed),
  constraint commit_rollup_merge_group_is_known check (merge_group in ('requested', 'destroyed'))
) with (fillfactor = 80);

-- the merge groups that are being checked
create index commit_rollup_merge_group on pawl.commit_rollup (instance, repository_id) where merge_group = 'requested';

comment on table  pawl.commit_rollup is 'One row per commit that checks hang on or that is the head of a pull request: the row on which a result and a new head meet, whichever transaction commits second.';
comment on column pawl.commit_rollup.entity_key is 'instance:repository id@sha, the partition key of its records.';
comment on column pawl.commit_rollup.instance is 'Host of the provider.';
comment on column pawl.commit_rollup.repository_id is 'The provider''s id of the repository that the results were sent for.';
comment on column pawl.commit_rollup.repository is 'Full name of the repository as of the newest result; null where there is none.';
comment on column pawl.commit_rollup.sha is 'The commit; abbreviated where no payload gave it whole.';
comment on column pawl.commit_rollup.state is 'none, pending, success or failure, of all its checks.';
comment on column pawl.commit_rollup.total is 'Checks that count.';
comment on column pawl.commit_rollup.pending is 'Of them, those that are not finished.';
comment on column pawl.commit_rollup.succeeded is 'Of them, those that succeeded; neutral and skipped count as success.';
comment on column pawl.commit_rollup.failed is 'Of them, those that failed, timed out, were cancelled or require an action.';
comment on column pawl.commit_rollup.merge_group is 'The merge queue made this commit: requested, or destroyed (final). Null for other commits.';
comment on column pawl.commit_rollup.merge_group_reason is 'Why the group was destroyed, in the provider''s word: merged, invalidated, dequeued.';
comment on column pawl.commit_rollup.merge_group_ref is 'Ref of the group; it names the pull request.';
comment on column pawl.commit_rollup.version is 'Count of folds that changed the row; 0 where only a head was seen.';
comment on column pawl.commit_rollup.folded_at is 'When the row last changed, on our clock.';

create table pawl.commit_check (
  commit_key           text        not null,
  kind                 text        not null,
  app                  text        not null,
  name                 text        not null,
  attempt              bigint      not null default 0,
  retry                bigint      not null default 0,
  status               text        not null,
  conclusion           text,
  state                text        not null,
  url                  text,
  started_at           timestamptz,
  completed_at         timestamptz,
  provider_updated_at  timestamptz,
  received_at          timestamptz,
  version              bigint      not null,
  folded_at            timestamptz not null,
  constraint commit_check_pkey primary key (commit_key, kind, app, name),
  constraint commit_check_kind_is_known check (kind in ('check_run', 'check_suite', 'status', 'workflow_run', 'pipeline')),
  constraint commit_check_status_is_known check (status in ('queued', 'in_progress', 'completed')),
  constraint commit_check_state_is_known check (state in ('pending', 'success', 'failure'))
) with (fillfactor = 80);

-- which checks fail, and where
create index commit_check_failed on pawl.commit_check (name) where state = 'failure';

comment on table  pawl.commit_check is 'The newest attempt of each check of a commit. A check_suite completes nothing by itself and is not part of the rollup.';
comment on column pawl.commit_check.commit_key is 'commit_rollup.entity_key.';
comment on column pawl.commit_check.kind is 'What reported it: check_run, check_suite, status, workflow_run, pipeline.';
comment on column pawl.commit_check.app is 'App that reports it; empty for commit statuses.';
comment on column pawl.commit_check.name is 'Name of the check; the context of a commit status, in lower case.';
comment on column pawl.commit_check.attempt is 'The provider''s id of this attempt: the greater is the newer. 0 is unknown.';
comment on column pawl.commit_check.retry is 'Counts retries under one id.';
comment on column pawl.commit_check.status is 'queued, in_progress or completed; an attempt does not go back.';
comment on column pawl.commit_check.conclusion is 'How it ended, in the provider''s word.';
comment on column pawl.commit_check.state is 'What it counts as: pending, success or failure.';
comment on column pawl.commit_check.url is 'Address for people.';
comment on column pawl.commit_check.started_at is 'Started at, on the provider''s clock.';
comment on column pawl.commit_check.completed_at is 'Completed at, on the provider''s clock.';
comment on column pawl.commit_check.provider_updated_at is 'The check''s own watermark, where it has one. It never moves a pull request''s (I7).';
comment on column pawl.commit_check.received_at is 'When its newest delivery was received. It only tells whether a result without times was there before the base moved.';
comment on column pawl.commit_check.version is 'Count of folds that changed the row.';
comment on column pawl.commit_check.folded_at is 'When the row last changed, on our clock.';

create table pawl.pull_request_review (
  pull_request         text        not null,
  id                   text        not null,
  author               text,
  author_is_bot        boolean     not null default false,
  state                text        not null,
  head_sha             text,
  body                 text,
  url                  text,
  submitted_at         timestamptz,
  provider_updated_at  timestamptz,
  version              bigint      not null,
  folded_at            timestamptz not null,
  constraint pull_request_review_pkey primary key (pull_request, id),
  constraint pull_request_review_state_is_known check (state in ('approved', 'changes_requested', 'commented', 'dismissed', 'withdrawn'))
);

-- what a person reviewed
create index pull_request_review_author on pawl.pull_request_review (author, submitted_at);

comment on table  pawl.pull_request_review is 'One row per review. Where a person has one state and reviews have no ids (GitLab, Gitea, Bitbucket), one row per person.';
comment on column pawl.pull_request_review.pull_request is 'Key of the pull request; it may not have been seen yet.';
comment on column pawl.pull_request_review.id is 'The provider''s id of the review, or user/<login>.';
comment on column pawl.pull_request_review.author is 'Login of the author; null for a deleted account.';
comment on column pawl.pull_request_review.author_is_bot is 'The author is a bot or an app.';
comment on column pawl.pull_request_review.state is 'approved, changes_requested, commented, dismissed (final) or withdrawn.';
comment on column pawl.pull_request_review.head_sha is 'Commit that was reviewed.';
comment on column pawl.pull_request_review.body is 'Text as of the newest payload.';
comment on column pawl.pull_request_review.url is 'Address for people.';
comment on column pawl.pull_request_review.submitted_at is 'Submitted at, on the provider''s clock: orders the reviews of a person.';
comment on column pawl.pull_request_review.provider_updated_at is 'The review''s own watermark. It never moves the pull request''s (I7).';
comment on column pawl.pull_request_review.version is 'Count of folds that changed the row.';
comment on column pawl.pull_request_review.folded_at is 'When the row last changed, on our clock.';

create table pawl.review_thread (
  pull_request         text        not null,
  id                   text        not null,
  resolved             boolean     not null default false,
  stated               boolean     not null default false,
  commented            boolean     not null default false,
  live                 text[]      not null default '{}',
  provider_updated_at  timestamptz,
  version              bigint      not null,
  folded_at            timestamptz not null,
  constraint review_thread_pkey primary key (pull_request, id)
);

comment on table  pawl.review_thread is 'One row per review thread. It begins with its first comment.';
comment on column pawl.review_thread.pull_request is 'Key of the pull request.';
comment on column pawl.review_thread.id is 'Id of its first comment, or the provider''s id of the thread.';
comment on column pawl.review_thread.resolved is 'It is resolved.';
comment on column pawl.review_thread.stated is 'A payload said whether it is resolved.';
comment on column pawl.review_thread.commented is 'A comment of it was seen: one whose comments are all removed is gone.';
comment on column pawl.review_thread.live is 'Keys of its comments that are not removed, sorted.';
comment on column pawl.review_thread.provider_updated_at is 'When it was resolved or opened again, or its first comment was written, on the provider''s clock.';
comment on column pawl.review_thread.version is 'Count of folds that changed the row.';
comment on column pawl.review_thread.folded_at is 'When the row last changed, on our clock.';

create table pawl.issue_link (
  pull_request  text        not null,
  target        text        not null,
  kind          text        not null,
  folded_at     timestamptz not null,
  constraint issue_link_pkey primary key (pull_request, target),
  constraint issue_link_kind_is_known check (kind in ('closes', 'mentions'))
);

-- which pull requests name an issue
create index issue_link_target on pawl.issue_link (target);

comment on table  pawl.issue_link is 'The issues that a pull request names, under the same verdict as its snapshot: a stale one changes no link (I5).';
comment on column pawl.issue_link.pull_request is 'Key of the pull request.';
comment on column pawl.issue_link.target is 'The issue: acme/api#12, or a tracker''s key such as ENG-123.';
comment on column pawl.issue_link.kind is 'closes: named after a closing keyword; mentions: a tracker''s key that is only named.';
comment on column pawl.issue_link.folded_at is 'When the link was first folded, on our clock.';

create table pawl.repository (
  entity_key           text        not null,
  instance             text        not null,
  repository_id        text        not null,
  repository           text        not null,
  state                text        not null,
  private              boolean     not null default false,
  provider_updated_at  timestamptz,
  version              bigint      not null,
  folded_at            timestamptz not null,
  constraint repository_pkey primary key (entity_key),
  constraint repository_state_is_known check (state in ('live', 'deleted'))
);

-- a repository by the name people know; one that was made again has another row
create index repository_name on pawl.repository (repository);

comment on table  pawl.repository is 'Repositories whose life a delivery told of: renamed, transferred, made private, deleted. The keys of their pull requests stay.';
comment on column pawl.repository.entity_key is 'instance:repository id.';
comment on column pawl.repository.instance is 'Host of the provider.';
comment on column pawl.repository.repository_id is 'The provider''s id.';
comment on column pawl.repository.repository is 'Full name, the newest one.';
comment on column pawl.repository.state is 'live or deleted. Deleted is final: one that is made again under the name has another id.';
comment on column pawl.repository.private is 'Only its members see it.';
comment on column pawl.repository.provider_updated_at is 'The repository''s own watermark, on the provider''s clock.';
comment on column pawl.repository.version is 'Count of folds that changed the row.';
comment on column pawl.repository.folded_at is 'When the row last changed, on our clock.';

comment on column pawl.outbox.shard is 'Hash of partition_key, 0 to 15. One relay at a time serves a shard, so an entity keeps its order, whichever record caused its transitions.';

-- +goose Down
comment on column pawl.outbox.shard is 'Partition of the causing record. One relay at a time serves a shard, so an entity keeps its order.';
drop table pawl.repository;
drop table pawl.issue_link;
drop table pawl.review_thread;
drop table pawl.pull_request_review;
drop table pawl.commit_check;
drop table pawl.commit_rollup;
alter table pawl.comment drop column kind, drop column thread, drop column removed_at;
drop index pawl.pull_request_repository_id;
drop index pawl.pull_request_head_commit;
alter table pawl.pull_request
  drop column head_commit, drop column queued, drop column dequeued_reason,
  drop column approvals_of_head, drop column unresolved_threads, drop column checks, drop column reviews, drop column links;
