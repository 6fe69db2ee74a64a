-- Comments of an issue tracker: they stand under an issue, and under no pull request.

-- +goose Up
alter table pawl.comment
  drop constraint comment_kind_is_known,
  add constraint comment_kind_is_known check (kind in ('conversation', 'review', 'issue')),
  add column issue text,
  add column missed_at timestamptz,
  add constraint comment_issue_only_of_a_tracker check (issue is null or kind = 'issue'),
  add constraint comment_missed_is_to_be_read check (missed_at is null or needs_read);
comment on column pawl.comment.parent is 'Key of the pull request it stands under, or of the tracker''s issue.';
comment on column pawl.comment.author is 'Login of the author, or the name that a tracker shows; null for a deleted account.';
comment on column pawl.comment.kind is 'conversation: under the pull request itself; review: on a line of its changes; issue: under an issue of a tracker.';
comment on column pawl.comment.issue is 'The tracker''s name of the issue, such as ENG-123: the target of an issue_link.';
comment on column pawl.comment.needs_read is 'Payloads contradicted each other, or one between two of them never came: read the provider before relying on the row.';
comment on column pawl.comment.missed_at is 'Version that the newest delivery says was before its own, and that never came. needs_read stands until it does.';

-- the newest comments of an issue: what to mirror when a pull request names it
create index comment_issue on pawl.comment (issue, created_at, entity_key) where kind = 'issue' and state = 'live';

-- +goose Down
drop index pawl.comment_issue;
delete from pawl.comment where kind = 'issue';
alter table pawl.comment
  drop constraint comment_missed_is_to_be_read,
  drop constraint comment_issue_only_of_a_tracker,
  drop constraint comment_kind_is_known,
  add constraint comment_kind_is_known check (kind in ('conversation', 'review')),
  drop column missed_at,
  drop column issue;
comment on column pawl.comment.parent is 'Key of the pull request it stands under.';
comment on column pawl.comment.author is 'Login of the author; null for a deleted account.';
comment on column pawl.comment.kind is 'conversation: under the pull request itself; review: on a line of its changes.';
comment on column pawl.comment.needs_read is 'Payloads contradicted each other: read the provider before relying on the row.';
