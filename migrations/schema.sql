-- The schema after all migrations, for reading. Made by: make generate

CREATE SCHEMA pawl;

CREATE FUNCTION pawl.notify_mutation() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('pawl_mutation', '');
  return null;
end $$;
COMMENT ON FUNCTION pawl.notify_mutation() IS 'Wakes the actors; polling is the net under it.';

CREATE FUNCTION pawl.notify_outbox() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('pawl_outbox', '');
  return null;
end $$;
COMMENT ON FUNCTION pawl.notify_outbox() IS 'Wakes the relays; polling is the net under it.';

CREATE TABLE pawl.checkpoint (
    topic text NOT NULL,
    log_partition integer NOT NULL,
    next_offset bigint NOT NULL,
    epoch bigint NOT NULL,
    owner text NOT NULL,
    log_end bigint DEFAULT 0 NOT NULL,
    log_start bigint DEFAULT 0 NOT NULL,
    last_event_at timestamp with time zone,
    stopped_reason text,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT checkpoint_epoch_is_positive CHECK ((epoch > 0)),
    CONSTRAINT checkpoint_next_offset_is_not_negative CHECK ((next_offset >= 0))
)
WITH (fillfactor='50');
COMMENT ON TABLE pawl.checkpoint IS 'Per partition the next offset to fold. It moves in the transaction that writes the state, and only under the owner''s epoch (I4).';
COMMENT ON COLUMN pawl.checkpoint.topic IS 'Topic.';
COMMENT ON COLUMN pawl.checkpoint.log_partition IS 'Partition.';
COMMENT ON COLUMN pawl.checkpoint.next_offset IS 'The next offset to fold. The offset committed to Kafka is only a hint.';
COMMENT ON COLUMN pawl.checkpoint.epoch IS 'Grows with each change of owner; a commit under an older epoch fails.';
COMMENT ON COLUMN pawl.checkpoint.owner IS 'Name of the projector that owns the partition.';
COMMENT ON COLUMN pawl.checkpoint.log_end IS 'End offset of the partition as of the last fetch.';
COMMENT ON COLUMN pawl.checkpoint.log_start IS 'First offset that the log still held as of the last fetch.';
COMMENT ON COLUMN pawl.checkpoint.last_event_at IS 'Receive time of the newest record folded.';
COMMENT ON COLUMN pawl.checkpoint.stopped_reason IS 'Why the projector stopped this partition: the checkpoint lies outside the log. Null while it runs.';
COMMENT ON COLUMN pawl.checkpoint.updated_at IS 'When the row last changed, on our clock.';

CREATE TABLE pawl.comment (
    entity_key text NOT NULL,
    parent text NOT NULL,
    state text NOT NULL,
    author text,
    author_is_bot boolean DEFAULT false NOT NULL,
    body text,
    url text,
    created_at timestamp with time zone,
    provider_updated_at timestamp with time zone,
    announced boolean DEFAULT false NOT NULL,
    version bigint NOT NULL,
    needs_read boolean DEFAULT false NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    kind text DEFAULT 'conversation'::text NOT NULL,
    thread text,
    removed_at timestamp with time zone,
    issue text,
    missed_at timestamp with time zone,
    CONSTRAINT comment_issue_only_of_a_tracker CHECK (((issue IS NULL) OR (kind = 'issue'::text))),
    CONSTRAINT comment_kind_is_known CHECK ((kind = ANY (ARRAY['conversation'::text, 'review'::text, 'issue'::text]))),
    CONSTRAINT comment_missed_is_to_be_read CHECK (((missed_at IS NULL) OR needs_read)),
    CONSTRAINT comment_removed_at_only_when_removed CHECK (((removed_at IS NULL) OR (state = 'removed'::text))),
    CONSTRAINT comment_state_is_known CHECK ((state = ANY (ARRAY['live'::text, 'removed'::text]))),
    CONSTRAINT comment_version_is_positive CHECK ((version > 0))
);
COMMENT ON TABLE pawl.comment IS 'One row per comment. A removed comment stays as a tombstone that no later delivery clears.';
COMMENT ON COLUMN pawl.comment.entity_key IS 'instance:comment/id.';
COMMENT ON COLUMN pawl.comment.parent IS 'Key of the pull request it stands under, or of the tracker''s issue.';
COMMENT ON COLUMN pawl.comment.state IS 'live or removed; removed is final.';
COMMENT ON COLUMN pawl.comment.author IS 'Login of the author, or the name that a tracker shows; null for a deleted account.';
COMMENT ON COLUMN pawl.comment.author_is_bot IS 'The author is a bot or an app.';
COMMENT ON COLUMN pawl.comment.body IS 'Text as of the newest payload; kept when removed.';
COMMENT ON COLUMN pawl.comment.url IS 'Address for people.';
COMMENT ON COLUMN pawl.comment.created_at IS 'Written at, on the provider''s clock.';
COMMENT ON COLUMN pawl.comment.provider_updated_at IS 'The comment''s own watermark, on the provider''s clock. It never moves the pull request''s (I7).';
COMMENT ON COLUMN pawl.comment.announced IS 'comment_created was derived; it waits until the pull request is known.';
COMMENT ON COLUMN pawl.comment.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.comment.needs_read IS 'Payloads contradicted each other, or one between two of them never came: read the provider before relying on the row.';
COMMENT ON COLUMN pawl.comment.folded_at IS 'When the row last changed, on our clock.';
COMMENT ON COLUMN pawl.comment.kind IS 'conversation: under the pull request itself; review: on a line of its changes; issue: under an issue of a tracker.';
COMMENT ON COLUMN pawl.comment.thread IS 'Review thread it belongs to: review_thread.id.';
COMMENT ON COLUMN pawl.comment.removed_at IS 'Removed at, on the provider''s clock; null where no payload says.';
COMMENT ON COLUMN pawl.comment.issue IS 'The tracker''s name of the issue, such as ENG-123: the target of an issue_link.';
COMMENT ON COLUMN pawl.comment.missed_at IS 'Version that the newest delivery says was before its own, and that never came. needs_read stands until it does.';

CREATE TABLE pawl.commit_check (
    commit_key text NOT NULL,
    kind text NOT NULL,
    app text NOT NULL,
    name text NOT NULL,
    attempt bigint DEFAULT 0 NOT NULL,
    retry bigint DEFAULT 0 NOT NULL,
    status text NOT NULL,
    conclusion text,
    state text NOT NULL,
    url text,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    provider_updated_at timestamp with time zone,
    received_at timestamp with time zone,
    version bigint NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT commit_check_kind_is_known CHECK ((kind = ANY (ARRAY['check_run'::text, 'check_suite'::text, 'status'::text, 'workflow_run'::text, 'pipeline'::text]))),
    CONSTRAINT commit_check_state_is_known CHECK ((state = ANY (ARRAY['pending'::text, 'success'::text, 'failure'::text]))),
    CONSTRAINT commit_check_status_is_known CHECK ((status = ANY (ARRAY['queued'::text, 'in_progress'::text, 'completed'::text])))
)
WITH (fillfactor='80');
COMMENT ON TABLE pawl.commit_check IS 'The newest attempt of each check of a commit. A check_suite completes nothing by itself and is not part of the rollup.';
COMMENT ON COLUMN pawl.commit_check.commit_key IS 'commit_rollup.entity_key.';
COMMENT ON COLUMN pawl.commit_check.kind IS 'What reported it: check_run, check_suite, status, workflow_run, pipeline.';
COMMENT ON COLUMN pawl.commit_check.app IS 'App that reports it; empty for commit statuses.';
COMMENT ON COLUMN pawl.commit_check.name IS 'Name of the check; the context of a commit status, in lower case.';
COMMENT ON COLUMN pawl.commit_check.attempt IS 'The provider''s id of this attempt: the greater is the newer. 0 is unknown.';
COMMENT ON COLUMN pawl.commit_check.retry IS 'Counts retries under one id.';
COMMENT ON COLUMN pawl.commit_check.status IS 'queued, in_progress or completed; an attempt does not go back.';
COMMENT ON COLUMN pawl.commit_check.conclusion IS 'How it ended, in the provider''s word.';
COMMENT ON COLUMN pawl.commit_check.state IS 'What it counts as: pending, success or failure.';
COMMENT ON COLUMN pawl.commit_check.url IS 'Address for people.';
COMMENT ON COLUMN pawl.commit_check.started_at IS 'Started at, on the provider''s clock.';
COMMENT ON COLUMN pawl.commit_check.completed_at IS 'Completed at, on the provider''s clock.';
COMMENT ON COLUMN pawl.commit_check.provider_updated_at IS 'The check''s own watermark, where it has one. It never moves a pull request''s (I7).';
COMMENT ON COLUMN pawl.commit_check.received_at IS 'When its newest delivery was received. It only tells whether a result without times was there before the base moved.';
COMMENT ON COLUMN pawl.commit_check.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.commit_check.folded_at IS 'When the row last changed, on our clock.';

CREATE TABLE pawl.commit_rollup (
    entity_key text NOT NULL,
    instance text NOT NULL,
    repository_id text NOT NULL,
    repository text,
    sha text NOT NULL,
    state text DEFAULT 'none'::text NOT NULL,
    total bigint DEFAULT 0 NOT NULL,
    pending bigint DEFAULT 0 NOT NULL,
    succeeded bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    merge_group text,
    merge_group_reason text,
    merge_group_ref text,
    version bigint NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT commit_rollup_counts_add_up CHECK ((total = ((pending + succeeded) + failed))),
    CONSTRAINT commit_rollup_merge_group_is_known CHECK ((merge_group = ANY (ARRAY['requested'::text, 'destroyed'::text]))),
    CONSTRAINT commit_rollup_state_is_known CHECK ((state = ANY (ARRAY['none'::text, 'pending'::text, 'success'::text, 'failure'::text])))
)
WITH (fillfactor='80');
COMMENT ON TABLE pawl.commit_rollup IS 'One row per commit that checks hang on or that is the head of a pull request: the row on which a result and a new head meet, whichever transaction commits second.';
COMMENT ON COLUMN pawl.commit_rollup.entity_key IS 'instance:repository id@sha, the partition key of its records.';
COMMENT ON COLUMN pawl.commit_rollup.instance IS 'Host of the provider.';
COMMENT ON COLUMN pawl.commit_rollup.repository_id IS 'The provider''s id of the repository that the results were sent for.';
COMMENT ON COLUMN pawl.commit_rollup.repository IS 'Full name of the repository as of the newest result; null where there is none.';
COMMENT ON COLUMN pawl.commit_rollup.sha IS 'The commit; abbreviated where no payload gave it whole.';
COMMENT ON COLUMN pawl.commit_rollup.state IS 'none, pending, success or failure, of all its checks.';
COMMENT ON COLUMN pawl.commit_rollup.total IS 'Checks that count.';
COMMENT ON COLUMN pawl.commit_rollup.pending IS 'Of them, those that are not finished.';
COMMENT ON COLUMN pawl.commit_rollup.succeeded IS 'Of them, those that succeeded; neutral and skipped count as success.';
COMMENT ON COLUMN pawl.commit_rollup.failed IS 'Of them, those that failed, timed out, were cancelled or require an action.';
COMMENT ON COLUMN pawl.commit_rollup.merge_group IS 'The merge queue made this commit: requested, or destroyed (final). Null for other commits.';
COMMENT ON COLUMN pawl.commit_rollup.merge_group_reason IS 'Why the group was destroyed, in the provider''s word: merged, invalidated, dequeued.';
COMMENT ON COLUMN pawl.commit_rollup.merge_group_ref IS 'Ref of the group; it names the pull request.';
COMMENT ON COLUMN pawl.commit_rollup.version IS 'Count of folds that changed the row; 0 where only a head was seen.';
COMMENT ON COLUMN pawl.commit_rollup.folded_at IS 'When the row last changed, on our clock.';

CREATE VIEW pawl.consumer_lag AS
 SELECT c.topic,
    c.log_partition,
    c.next_offset AS checkpoint,
    c.log_end,
    GREATEST((c.log_end - c.next_offset), (0)::bigint) AS lag_records,
    c.last_event_at,
    c.owner,
    c.stopped_reason,
    c.updated_at
   FROM pawl.checkpoint c;
COMMENT ON VIEW pawl.consumer_lag IS 'Records that the projector has still to fold, per partition, as of its last fetch.';

CREATE TABLE pawl.dead_letter (
    id bigint NOT NULL,
    stage text NOT NULL,
    topic text,
    log_partition integer,
    log_offset bigint,
    entity_key text NOT NULL,
    source text,
    delivery_id text,
    mutation_id bigint,
    reason text NOT NULL,
    headers json,
    value bytea,
    created_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone,
    resolved_at timestamp with time zone,
    resolution text,
    CONSTRAINT dead_letter_names_its_origin CHECK ((((stage = 'projector'::text) AND (topic IS NOT NULL) AND (log_partition IS NOT NULL) AND (log_offset IS NOT NULL)) OR ((stage = 'actuator'::text) AND ((mutation_id IS NOT NULL) OR (topic IS NOT NULL))))),
    CONSTRAINT dead_letter_resolution_is_known CHECK ((resolution = ANY (ARRAY['retried'::text, 'dropped'::text]))),
    CONSTRAINT dead_letter_resolved_iff_resolution CHECK (((resolved_at IS NULL) = (resolution IS NULL))),
    CONSTRAINT dead_letter_stage_is_known CHECK ((stage = ANY (ARRAY['projector'::text, 'actuator'::text])))
);
COMMENT ON TABLE pawl.dead_letter IS 'Records that could not be folded and mutations that could not be done. Nothing is silently dropped (I14).';
COMMENT ON COLUMN pawl.dead_letter.id IS 'Order of arrival.';
COMMENT ON COLUMN pawl.dead_letter.stage IS 'projector: a record. actuator: a mutation, or a transition that could not be read.';
COMMENT ON COLUMN pawl.dead_letter.topic IS 'Topic of the record.';
COMMENT ON COLUMN pawl.dead_letter.log_partition IS 'Partition of the record.';
COMMENT ON COLUMN pawl.dead_letter.log_offset IS 'Offset of the record.';
COMMENT ON COLUMN pawl.dead_letter.entity_key IS 'Entity.';
COMMENT ON COLUMN pawl.dead_letter.source IS 'Source of the delivery.';
COMMENT ON COLUMN pawl.dead_letter.delivery_id IS 'Delivery.';
COMMENT ON COLUMN pawl.dead_letter.mutation_id IS 'Mutation that could not be done.';
COMMENT ON COLUMN pawl.dead_letter.reason IS 'Why, with what to do where that is known.';
COMMENT ON COLUMN pawl.dead_letter.headers IS 'Headers of the record: an array of [name, value].';
COMMENT ON COLUMN pawl.dead_letter.value IS 'Value of the record, byte for byte.';
COMMENT ON COLUMN pawl.dead_letter.created_at IS 'When it was set aside.';
COMMENT ON COLUMN pawl.dead_letter.published_at IS 'When the relay appended it to pawl.dead-letters.';
COMMENT ON COLUMN pawl.dead_letter.resolved_at IS 'When a person retried or dropped it; null while it waits.';
COMMENT ON COLUMN pawl.dead_letter.resolution IS 'retried or dropped.';

ALTER TABLE pawl.dead_letter ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME pawl.dead_letter_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE pawl.decision (
    transition_id text NOT NULL,
    rule text NOT NULL,
    entity_key text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL,
    rules_hash text NOT NULL,
    mode text NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    "values" json,
    waits_for text[],
    CONSTRAINT decision_mode_is_known CHECK ((mode = ANY (ARRAY['act'::text, 'plan'::text]))),
    CONSTRAINT decision_outcome_is_known CHECK ((outcome = ANY (ARRAY['mutate'::text, 'no'::text, 'repeat'::text, 'error'::text])))
);
COMMENT ON TABLE pawl.decision IS 'What each rule made of each transition it listens to, and why.';
COMMENT ON COLUMN pawl.decision.transition_id IS 'The transition decided on.';
COMMENT ON COLUMN pawl.decision.rule IS 'Name of the rule.';
COMMENT ON COLUMN pawl.decision.entity_key IS 'Entity that the mutation would change.';
COMMENT ON COLUMN pawl.decision.outcome IS 'mutate: mutations were opened. no: the condition does not hold. repeat: the idempotency key is held by an earlier mutation. error: the condition could not be evaluated.';
COMMENT ON COLUMN pawl.decision.reason IS 'The condition and the values it saw, or the mutation that holds the key.';
COMMENT ON COLUMN pawl.decision.rules_hash IS 'Hash of the rules that decided.';
COMMENT ON COLUMN pawl.decision.mode IS 'act or plan.';
COMMENT ON COLUMN pawl.decision.decided_at IS 'When, on our clock.';
COMMENT ON COLUMN pawl.decision."values" IS 'The parts of the condition with their values, and the values of the variables in them, in short.';
COMMENT ON COLUMN pawl.decision.waits_for IS 'Components of status pages whose status alone made the condition false: a change of one has it decided again. Null: it waits for none, or a later decision of the rule took its place.';

CREATE TABLE pawl.delivery (
    topic text NOT NULL,
    log_partition integer NOT NULL,
    log_offset bigint NOT NULL,
    source text NOT NULL,
    delivery_id text NOT NULL,
    entity_key text NOT NULL,
    provider text NOT NULL,
    event text NOT NULL,
    action text,
    subject text,
    sender text,
    verdict text NOT NULL,
    reason text,
    id_reused boolean DEFAULT false NOT NULL,
    body_hash bytea NOT NULL,
    provider_updated_at timestamp with time zone,
    received_at timestamp with time zone,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT delivery_offset_is_not_negative CHECK ((log_offset >= 0)),
    CONSTRAINT delivery_verdict_is_known CHECK ((verdict = ANY (ARRAY['applied'::text, 'unchanged'::text, 'stale'::text, 'duplicate'::text, 'ignored'::text, 'dead'::text])))
);
COMMENT ON TABLE pawl.delivery IS 'The verdict of every record of the log (I14). The payload itself stays in the log.';
COMMENT ON COLUMN pawl.delivery.topic IS 'Topic of the record.';
COMMENT ON COLUMN pawl.delivery.log_partition IS 'Partition of the record.';
COMMENT ON COLUMN pawl.delivery.log_offset IS 'Offset of the record in its partition, from 0.';
COMMENT ON COLUMN pawl.delivery.source IS 'Name of the configured source that took the delivery.';
COMMENT ON COLUMN pawl.delivery.delivery_id IS 'The provider''s id of the delivery; with source the deduplication key.';
COMMENT ON COLUMN pawl.delivery.entity_key IS 'Partition key of the record.';
COMMENT ON COLUMN pawl.delivery.provider IS 'github, …';
COMMENT ON COLUMN pawl.delivery.event IS 'The provider''s name of the event.';
COMMENT ON COLUMN pawl.delivery.action IS 'GitHub''s action field.';
COMMENT ON COLUMN pawl.delivery.subject IS 'The entity as people name it: acme/api#7.';
COMMENT ON COLUMN pawl.delivery.sender IS 'Login of who caused the event at the provider.';
COMMENT ON COLUMN pawl.delivery.verdict IS 'How the record ended: applied, unchanged, stale, duplicate, ignored or dead.';
COMMENT ON COLUMN pawl.delivery.reason IS 'Why, in words.';
COMMENT ON COLUMN pawl.delivery.id_reused IS 'Same source and delivery id as an earlier record, but another body: not a duplicate, and worth a look.';
COMMENT ON COLUMN pawl.delivery.body_hash IS 'xxHash64 of the body: tells a duplicate from a reused id.';
COMMENT ON COLUMN pawl.delivery.provider_updated_at IS 'The provider''s clock in the payload.';
COMMENT ON COLUMN pawl.delivery.received_at IS 'When ingest received it.';
COMMENT ON COLUMN pawl.delivery.folded_at IS 'When the projector committed it.';

CREATE TABLE pawl.issue_link (
    pull_request text NOT NULL,
    target text NOT NULL,
    kind text NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT issue_link_kind_is_known CHECK ((kind = ANY (ARRAY['closes'::text, 'mentions'::text])))
);
COMMENT ON TABLE pawl.issue_link IS 'The issues that a pull request names, under the same verdict as its snapshot: a stale one changes no link (I5).';
COMMENT ON COLUMN pawl.issue_link.pull_request IS 'Key of the pull request.';
COMMENT ON COLUMN pawl.issue_link.target IS 'The issue: acme/api#12, or a tracker''s key such as ENG-123.';
COMMENT ON COLUMN pawl.issue_link.kind IS 'closes: named after a closing keyword; mentions: a tracker''s key that is only named.';
COMMENT ON COLUMN pawl.issue_link.folded_at IS 'When the link was first folded, on our clock.';

CREATE TABLE pawl.lease (
    entity_key text NOT NULL,
    owner text NOT NULL,
    fence bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT lease_fence_is_positive CHECK ((fence > 0))
)
WITH (fillfactor='70');
COMMENT ON TABLE pawl.lease IS 'Who may act on an entity, until when (I9). A crashed actor''s lease ends by itself.';
COMMENT ON COLUMN pawl.lease.entity_key IS 'The entity.';
COMMENT ON COLUMN pawl.lease.owner IS 'The actor that holds or last held it.';
COMMENT ON COLUMN pawl.lease.fence IS 'Grows with each holder; every settle names it.';
COMMENT ON COLUMN pawl.lease.expires_at IS 'End, on the database''s clock.';

CREATE TABLE pawl.mutation (
    id bigint NOT NULL,
    entity_key text NOT NULL,
    rule text NOT NULL,
    kind text NOT NULL,
    params json NOT NULL,
    idempotency_key text NOT NULL,
    state text NOT NULL,
    reason text,
    transition_id text NOT NULL,
    "position" integer NOT NULL,
    transition json NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    fence bigint,
    claimed_by text,
    created_at timestamp with time zone NOT NULL,
    claimed_at timestamp with time zone,
    settled_at timestamp with time zone,
    on_refusal text DEFAULT 'cancel'::text NOT NULL,
    seen text,
    sent text,
    answer text,
    CONSTRAINT mutation_attempt_is_not_negative CHECK ((attempt >= 0)),
    CONSTRAINT mutation_claimed_has_fence CHECK (((state <> 'claimed'::text) OR (fence IS NOT NULL))),
    CONSTRAINT mutation_on_refusal_is_known CHECK ((on_refusal = ANY (ARRAY['cancel'::text, 'wait'::text, 'go_on'::text]))),
    CONSTRAINT mutation_settled_iff_settled_at CHECK (((state = ANY (ARRAY['done'::text, 'skipped'::text, 'cancelled'::text, 'dead'::text])) = (settled_at IS NOT NULL))),
    CONSTRAINT mutation_state_is_known CHECK ((state = ANY (ARRAY['planned'::text, 'waiting'::text, 'pending'::text, 'claimed'::text, 'done'::text, 'skipped'::text, 'cancelled'::text, 'dead'::text])))
);
COMMENT ON TABLE pawl.mutation IS 'Changes that rules want made at a provider, each with the key of an effect that must happen once.';
COMMENT ON COLUMN pawl.mutation.id IS 'Order within an entity.';
COMMENT ON COLUMN pawl.mutation.entity_key IS 'The entity to change.';
COMMENT ON COLUMN pawl.mutation.rule IS 'Name of the rule that wants it.';
COMMENT ON COLUMN pawl.mutation.kind IS 'comment, close, merge, add_labels, remove_labels, …';
COMMENT ON COLUMN pawl.mutation.params IS 'Parameters with templates rendered; the head sha decided on.';
COMMENT ON COLUMN pawl.mutation.idempotency_key IS 'Hash of rule, kind, place in the rule, entity and scope.';
COMMENT ON COLUMN pawl.mutation.state IS 'planned, waiting, pending, claimed, done, skipped, cancelled or dead.';
COMMENT ON COLUMN pawl.mutation.reason IS 'What was found gone, what failed, or how it was found done.';
COMMENT ON COLUMN pawl.mutation.transition_id IS 'The transition it was decided on.';
COMMENT ON COLUMN pawl.mutation."position" IS 'Place in the rule''s list of mutations, from 0.';
COMMENT ON COLUMN pawl.mutation.transition IS 'The transition itself, for asking the condition again.';
COMMENT ON COLUMN pawl.mutation.attempt IS 'Attempts begun.';
COMMENT ON COLUMN pawl.mutation.next_attempt_at IS 'Not before this time, on the database''s clock. For a waiting mutation, when it is decided again; infinity waits for a person.';
COMMENT ON COLUMN pawl.mutation.fence IS 'Fence of the lease it was last claimed under; a settle under another changes nothing (I9).';
COMMENT ON COLUMN pawl.mutation.claimed_by IS 'The actor that last claimed it.';
COMMENT ON COLUMN pawl.mutation.created_at IS 'Decided at.';
COMMENT ON COLUMN pawl.mutation.claimed_at IS 'Last claimed at.';
COMMENT ON COLUMN pawl.mutation.settled_at IS 'Ended at.';
COMMENT ON COLUMN pawl.mutation.on_refusal IS 'What becomes of the later mutations of the same decision when this one is refused: cancel, wait (until a person retries or drops it), go_on.';
COMMENT ON COLUMN pawl.mutation.seen IS 'What the last look at the provider found.';
COMMENT ON COLUMN pawl.mutation.sent IS 'The last call that changes: method and path. Never a secret.';
COMMENT ON COLUMN pawl.mutation.answer IS 'How the provider answered it: status, and its message in short.';

ALTER TABLE pawl.mutation ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME pawl.mutation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE pawl.outbox (
    id bigint NOT NULL,
    shard integer NOT NULL,
    transition_id text NOT NULL,
    partition_key text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE pawl.outbox IS 'Transitions not yet appended to pawl.transitions. The relay deletes a row once the log has it.';
COMMENT ON COLUMN pawl.outbox.id IS 'Order within a shard.';
COMMENT ON COLUMN pawl.outbox.shard IS 'Hash of partition_key, 0 to 15. One relay at a time serves a shard, so an entity keeps its order, whichever record caused its transitions.';
COMMENT ON COLUMN pawl.outbox.transition_id IS 'The transition to publish.';
COMMENT ON COLUMN pawl.outbox.partition_key IS 'Key of the published record.';
COMMENT ON COLUMN pawl.outbox.created_at IS 'When the projector wrote the row.';

ALTER TABLE pawl.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME pawl.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE pawl.pull_request (
    entity_key text NOT NULL,
    instance text NOT NULL,
    repository_id text NOT NULL,
    repository text NOT NULL,
    number bigint NOT NULL,
    title text,
    body text,
    author text,
    author_is_bot boolean DEFAULT false NOT NULL,
    state text NOT NULL,
    draft boolean DEFAULT false NOT NULL,
    locked boolean DEFAULT false NOT NULL,
    head_sha text,
    head_ref text,
    head_repository_id text,
    base_ref text,
    base_sha text,
    labels text[] DEFAULT '{}'::text[] NOT NULL,
    milestone text,
    requested_reviewers text[] DEFAULT '{}'::text[] NOT NULL,
    assignees text[] DEFAULT '{}'::text[] NOT NULL,
    auto_merge boolean DEFAULT false NOT NULL,
    merge_commit_sha text,
    checks_state text DEFAULT 'none'::text NOT NULL,
    approvals bigint DEFAULT 0 NOT NULL,
    changes_requested bigint DEFAULT 0 NOT NULL,
    comments bigint DEFAULT 0 NOT NULL,
    review_comments bigint DEFAULT 0 NOT NULL,
    commits bigint DEFAULT 0 NOT NULL,
    additions bigint DEFAULT 0 NOT NULL,
    deletions bigint DEFAULT 0 NOT NULL,
    changed_files bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone,
    closed_at timestamp with time zone,
    merged_at timestamp with time zone,
    provider_updated_at timestamp with time zone,
    version bigint NOT NULL,
    needs_read boolean DEFAULT false NOT NULL,
    needs_read_reason text,
    arrival json DEFAULT '{}'::json NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    head_commit text,
    queued boolean DEFAULT false NOT NULL,
    dequeued_reason text,
    approvals_of_head bigint DEFAULT 0 NOT NULL,
    unresolved_threads bigint DEFAULT 0 NOT NULL,
    checks json DEFAULT '[]'::json NOT NULL,
    reviews json DEFAULT '[]'::json NOT NULL,
    links text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT pull_request_checks_state_is_known CHECK ((checks_state = ANY (ARRAY['none'::text, 'pending'::text, 'success'::text, 'failure'::text]))),
    CONSTRAINT pull_request_merged_at_only_when_merged CHECK (((merged_at IS NULL) OR (state = 'merged'::text))),
    CONSTRAINT pull_request_number_is_positive CHECK ((number > 0)),
    CONSTRAINT pull_request_open_has_no_closed_at CHECK (((closed_at IS NULL) OR (state <> 'open'::text))),
    CONSTRAINT pull_request_reason_only_when_needs_read CHECK (((needs_read_reason IS NULL) OR needs_read)),
    CONSTRAINT pull_request_state_is_known CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text, 'merged'::text]))),
    CONSTRAINT pull_request_version_is_positive CHECK ((version > 0))
)
WITH (fillfactor='80', toast_tuple_target='8160');
COMMENT ON TABLE pawl.pull_request IS 'One row per pull request, the fold of its deliveries; it only moves forward by the provider''s clock (I5, I6).';
COMMENT ON COLUMN pawl.pull_request.entity_key IS 'instance:repository id#number, the partition key of its records; survives rename and transfer.';
COMMENT ON COLUMN pawl.pull_request.instance IS 'Host of the provider: github.com, or the host a source is configured with.';
COMMENT ON COLUMN pawl.pull_request.repository_id IS 'The provider''s id of the repository the pull request is against. Text: some providers use UUIDs.';
COMMENT ON COLUMN pawl.pull_request.repository IS 'Full name of the repository as of the newest snapshot: acme/api.';
COMMENT ON COLUMN pawl.pull_request.number IS 'The number people see: 7 of acme/api#7.';
COMMENT ON COLUMN pawl.pull_request.title IS 'Title; null while no payload has stated it.';
COMMENT ON COLUMN pawl.pull_request.body IS 'Description; null where empty or never stated.';
COMMENT ON COLUMN pawl.pull_request.author IS 'Login of the author; null for a deleted account.';
COMMENT ON COLUMN pawl.pull_request.author_is_bot IS 'The author is a bot or an app.';
COMMENT ON COLUMN pawl.pull_request.state IS 'open, closed (without merge) or merged. merged is final.';
COMMENT ON COLUMN pawl.pull_request.draft IS 'A draft: not ready for review.';
COMMENT ON COLUMN pawl.pull_request.locked IS 'The conversation is locked.';
COMMENT ON COLUMN pawl.pull_request.head_sha IS 'Commit at the head, from the snapshot.';
COMMENT ON COLUMN pawl.pull_request.head_ref IS 'Branch of the head.';
COMMENT ON COLUMN pawl.pull_request.head_repository_id IS 'Repository of the head; null when it is gone (fork deleted) or unknown. Differs from repository_id for forks.';
COMMENT ON COLUMN pawl.pull_request.base_ref IS 'Branch it is to be merged into.';
COMMENT ON COLUMN pawl.pull_request.base_sha IS 'Commit of the base as of the snapshot.';
COMMENT ON COLUMN pawl.pull_request.labels IS 'Names of the labels, sorted.';
COMMENT ON COLUMN pawl.pull_request.milestone IS 'Title of the milestone.';
COMMENT ON COLUMN pawl.pull_request.requested_reviewers IS 'Logins of requested reviewers, sorted.';
COMMENT ON COLUMN pawl.pull_request.assignees IS 'Logins of assignees, sorted.';
COMMENT ON COLUMN pawl.pull_request.auto_merge IS 'The provider is asked to merge by itself when its conditions hold: an intent, not a state.';
COMMENT ON COLUMN pawl.pull_request.merge_commit_sha IS 'The merge commit once merged; before that the provider''s test merge.';
COMMENT ON COLUMN pawl.pull_request.checks_state IS 'Rollup of the checks of the head commit: none, pending, success, failure. Results from before the last move of the base do not count.';
COMMENT ON COLUMN pawl.pull_request.approvals IS 'People whose latest review approves. A review that only comments supersedes none.';
COMMENT ON COLUMN pawl.pull_request.changes_requested IS 'People whose latest review requests changes.';
COMMENT ON COLUMN pawl.pull_request.comments IS 'Comments: what the newest snapshot counts, and those that came or went since; where no snapshot counts them, those that are known.';
COMMENT ON COLUMN pawl.pull_request.review_comments IS 'Review comments, counted like comments.';
COMMENT ON COLUMN pawl.pull_request.commits IS 'Commits, as the newest snapshot counts them.';
COMMENT ON COLUMN pawl.pull_request.additions IS 'Lines added.';
COMMENT ON COLUMN pawl.pull_request.deletions IS 'Lines deleted.';
COMMENT ON COLUMN pawl.pull_request.changed_files IS 'Files changed.';
COMMENT ON COLUMN pawl.pull_request.created_at IS 'Opened at, on the provider''s clock.';
COMMENT ON COLUMN pawl.pull_request.closed_at IS 'Closed or merged at, on the provider''s clock; null while open.';
COMMENT ON COLUMN pawl.pull_request.merged_at IS 'Merged at, on the provider''s clock.';
COMMENT ON COLUMN pawl.pull_request.provider_updated_at IS 'The watermark: the newest snapshot folded, on the provider''s clock. Null: no snapshot had a time. Never filled by our clock (I7).';
COMMENT ON COLUMN pawl.pull_request.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.pull_request.needs_read IS 'Payloads contradicted each other: read the provider before relying on the row.';
COMMENT ON COLUMN pawl.pull_request.needs_read_reason IS 'Which contradiction asks for the read.';
COMMENT ON COLUMN pawl.pull_request.arrival IS 'Marks of arrival: what the newest snapshot''s action changed. Depends on the order of deliveries; for the fold alone.';
COMMENT ON COLUMN pawl.pull_request.folded_at IS 'When the row last changed, on our clock.';
COMMENT ON COLUMN pawl.pull_request.head_commit IS 'Key of the commit that the head''s checks hang on: commit_rollup.entity_key, commit_check.commit_key.';
COMMENT ON COLUMN pawl.pull_request.queued IS 'It is in the merge queue.';
COMMENT ON COLUMN pawl.pull_request.dequeued_reason IS 'Why it last left the merge queue, in the provider''s word; MERGE is no failure. Null while it is queued and where it never was.';
COMMENT ON COLUMN pawl.pull_request.approvals_of_head IS 'Of approvals, those given to the head as it is now.';
COMMENT ON COLUMN pawl.pull_request.unresolved_threads IS 'Review threads that are not resolved and have a comment left.';
COMMENT ON COLUMN pawl.pull_request.checks IS 'The checks of the head that count, by name, as rules see them: app, name, state, status, conclusion. All results stand in commit_check.';
COMMENT ON COLUMN pawl.pull_request.reviews IS 'The latest review of each person, by login, as rules see them: author, author_is_bot, state, head_sha, submitted_at. All stand in pull_request_review.';
COMMENT ON COLUMN pawl.pull_request.links IS 'Issues that title, body and branch name, sorted: acme/api#12, ENG-123. How each is named stands in issue_link.';

CREATE TABLE pawl.pull_request_review (
    pull_request text NOT NULL,
    id text NOT NULL,
    author text,
    author_is_bot boolean DEFAULT false NOT NULL,
    state text NOT NULL,
    head_sha text,
    body text,
    url text,
    submitted_at timestamp with time zone,
    provider_updated_at timestamp with time zone,
    version bigint NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT pull_request_review_state_is_known CHECK ((state = ANY (ARRAY['approved'::text, 'changes_requested'::text, 'commented'::text, 'dismissed'::text, 'withdrawn'::text])))
);
COMMENT ON TABLE pawl.pull_request_review IS 'One row per review. Where a person has one state and reviews have no ids (GitLab, Gitea, Bitbucket), one row per person.';
COMMENT ON COLUMN pawl.pull_request_review.pull_request IS 'Key of the pull request; it may not have been seen yet.';
COMMENT ON COLUMN pawl.pull_request_review.id IS 'The provider''s id of the review, or user/<login>.';
COMMENT ON COLUMN pawl.pull_request_review.author IS 'Login of the author; null for a deleted account.';
COMMENT ON COLUMN pawl.pull_request_review.author_is_bot IS 'The author is a bot or an app.';
COMMENT ON COLUMN pawl.pull_request_review.state IS 'approved, changes_requested, commented, dismissed (final) or withdrawn.';
COMMENT ON COLUMN pawl.pull_request_review.head_sha IS 'Commit that was reviewed.';
COMMENT ON COLUMN pawl.pull_request_review.body IS 'Text as of the newest payload.';
COMMENT ON COLUMN pawl.pull_request_review.url IS 'Address for people.';
COMMENT ON COLUMN pawl.pull_request_review.submitted_at IS 'Submitted at, on the provider''s clock: orders the reviews of a person.';
COMMENT ON COLUMN pawl.pull_request_review.provider_updated_at IS 'The review''s own watermark. It never moves the pull request''s (I7).';
COMMENT ON COLUMN pawl.pull_request_review.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.pull_request_review.folded_at IS 'When the row last changed, on our clock.';

CREATE TABLE pawl.transition (
    id text NOT NULL,
    entity_key text NOT NULL,
    kind text NOT NULL,
    from_value text,
    to_value text,
    source text NOT NULL,
    delivery_id text NOT NULL,
    topic text NOT NULL,
    log_partition integer NOT NULL,
    log_offset bigint NOT NULL,
    value json NOT NULL,
    folded_at timestamp with time zone NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE pawl.transition IS 'Differences between two folded states, each with its cause (I8).';
COMMENT ON COLUMN pawl.transition.id IS 'Hash of entity, kind, from, to and cause: a second folding yields the same id.';
COMMENT ON COLUMN pawl.transition.entity_key IS 'The entity that changed.';
COMMENT ON COLUMN pawl.transition.kind IS 'opened, closed, merged, head_changed, …';
COMMENT ON COLUMN pawl.transition.from_value IS 'Value before; null at first sight. A list (labels) is a JSON array.';
COMMENT ON COLUMN pawl.transition.to_value IS 'Value after.';
COMMENT ON COLUMN pawl.transition.source IS 'Source of the delivery that caused it.';
COMMENT ON COLUMN pawl.transition.delivery_id IS 'Delivery that caused it.';
COMMENT ON COLUMN pawl.transition.topic IS 'Topic of the record that caused it.';
COMMENT ON COLUMN pawl.transition.log_partition IS 'Partition of the record that caused it.';
COMMENT ON COLUMN pawl.transition.log_offset IS 'Offset of the record that caused it.';
COMMENT ON COLUMN pawl.transition.value IS 'The value published to pawl.transitions, byte for byte.';
COMMENT ON COLUMN pawl.transition.folded_at IS 'When the projector committed it.';

CREATE VIEW pawl.pull_request_timeline AS
 SELECT d.entity_key,
    d.received_at AS at,
    'delivery'::text AS what,
    (d.event || COALESCE(('.'::text || d.action), ''::text)) AS name,
    d.verdict AS outcome,
    d.reason,
    d.delivery_id,
    d.log_partition,
    d.log_offset
   FROM pawl.delivery d
UNION ALL
 SELECT COALESCE(((t.value -> 'comment'::text) ->> 'parent'::text), t.entity_key) AS entity_key,
    t.folded_at AS at,
    'transition'::text AS what,
    t.kind AS name,
    ((COALESCE(t.from_value, ''::text) || ' → '::text) || COALESCE(t.to_value, ''::text)) AS outcome,
    NULL::text AS reason,
    t.delivery_id,
    t.log_partition,
    t.log_offset
   FROM pawl.transition t
UNION ALL
 SELECT m.entity_key,
    COALESCE(m.settled_at, m.claimed_at, m.created_at) AS at,
    'mutation'::text AS what,
    ((m.rule || ': '::text) || m.kind) AS name,
    m.state AS outcome,
    m.reason,
    NULL::text AS delivery_id,
    NULL::integer AS log_partition,
    NULL::bigint AS log_offset
   FROM pawl.mutation m;
COMMENT ON VIEW pawl.pull_request_timeline IS 'Everything that happened to a pull request: deliveries with their verdicts, transitions, mutations. Select by entity_key, order by at.';

CREATE TABLE pawl.repository (
    entity_key text NOT NULL,
    instance text NOT NULL,
    repository_id text NOT NULL,
    repository text NOT NULL,
    state text NOT NULL,
    private boolean DEFAULT false NOT NULL,
    provider_updated_at timestamp with time zone,
    version bigint NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT repository_state_is_known CHECK ((state = ANY (ARRAY['live'::text, 'deleted'::text])))
);
COMMENT ON TABLE pawl.repository IS 'Repositories whose life a delivery told of: renamed, transferred, made private, deleted. The keys of their pull requests stay.';
COMMENT ON COLUMN pawl.repository.entity_key IS 'instance:repository id.';
COMMENT ON COLUMN pawl.repository.instance IS 'Host of the provider.';
COMMENT ON COLUMN pawl.repository.repository_id IS 'The provider''s id.';
COMMENT ON COLUMN pawl.repository.repository IS 'Full name, the newest one.';
COMMENT ON COLUMN pawl.repository.state IS 'live or deleted. Deleted is final: one that is made again under the name has another id.';
COMMENT ON COLUMN pawl.repository.private IS 'Only its members see it.';
COMMENT ON COLUMN pawl.repository.provider_updated_at IS 'The repository''s own watermark, on the provider''s clock.';
COMMENT ON COLUMN pawl.repository.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.repository.folded_at IS 'When the row last changed, on our clock.';

CREATE TABLE pawl.review_thread (
    pull_request text NOT NULL,
    id text NOT NULL,
    resolved boolean DEFAULT false NOT NULL,
    stated boolean DEFAULT false NOT NULL,
    commented boolean DEFAULT false NOT NULL,
    live text[] DEFAULT '{}'::text[] NOT NULL,
    provider_updated_at timestamp with time zone,
    version bigint NOT NULL,
    folded_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE pawl.review_thread IS 'One row per review thread. It begins with its first comment.';
COMMENT ON COLUMN pawl.review_thread.pull_request IS 'Key of the pull request.';
COMMENT ON COLUMN pawl.review_thread.id IS 'Id of its first comment, or the provider''s id of the thread.';
COMMENT ON COLUMN pawl.review_thread.resolved IS 'It is resolved.';
COMMENT ON COLUMN pawl.review_thread.stated IS 'A payload said whether it is resolved.';
COMMENT ON COLUMN pawl.review_thread.commented IS 'A comment of it was seen: one whose comments are all removed is gone.';
COMMENT ON COLUMN pawl.review_thread.live IS 'Keys of its comments that are not removed, sorted.';
COMMENT ON COLUMN pawl.review_thread.provider_updated_at IS 'When it was resolved or opened again, or its first comment was written, on the provider''s clock.';
COMMENT ON COLUMN pawl.review_thread.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.review_thread.folded_at IS 'When the row last changed, on our clock.';

CREATE TABLE pawl.status_component (
    entity_key text NOT NULL,
    instance text NOT NULL,
    page_id text NOT NULL,
    component_id text NOT NULL,
    name text,
    description text,
    group_id text,
    status text NOT NULL,
    status_before text,
    provider_updated_at timestamp with time zone,
    version bigint NOT NULL,
    needs_read boolean DEFAULT false NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT status_component_status_is_known CHECK ((status = ANY (ARRAY['operational'::text, 'under_maintenance'::text, 'unknown'::text, 'degraded_performance'::text, 'partial_outage'::text, 'major_outage'::text])))
);
COMMENT ON TABLE pawl.status_component IS 'One row per component of a status page. It only moves forward by the component''s own clock, also where an incident shows it.';
COMMENT ON COLUMN pawl.status_component.entity_key IS 'instance:page id/component id.';
COMMENT ON COLUMN pawl.status_component.instance IS 'Host of the provider, statuspage.io.';
COMMENT ON COLUMN pawl.status_component.page_id IS 'The provider''s id of the page.';
COMMENT ON COLUMN pawl.status_component.component_id IS 'The provider''s id of the component.';
COMMENT ON COLUMN pawl.status_component.name IS 'Name as of the newest payload.';
COMMENT ON COLUMN pawl.status_component.description IS 'What the page says it is.';
COMMENT ON COLUMN pawl.status_component.group_id IS 'The provider''s id of the group that it stands in.';
COMMENT ON COLUMN pawl.status_component.status IS 'operational, under_maintenance, degraded_performance, partial_outage, major_outage, or unknown: a word that is not known never counts as operational.';
COMMENT ON COLUMN pawl.status_component.status_before IS 'What the newest delivery says it was before. Depends on which deliveries came; for the fold alone.';
COMMENT ON COLUMN pawl.status_component.provider_updated_at IS 'The component''s own watermark, on the provider''s clock. Never filled by our clock (I7).';
COMMENT ON COLUMN pawl.status_component.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.status_component.needs_read IS 'Two deliveries of one instant contradict each other; the worse status stands.';
COMMENT ON COLUMN pawl.status_component.folded_at IS 'When the row last changed, on our clock.';

CREATE TABLE pawl.status_incident (
    entity_key text NOT NULL,
    instance text NOT NULL,
    page_id text NOT NULL,
    incident_id text NOT NULL,
    name text,
    status text NOT NULL,
    impact text,
    maintenance boolean DEFAULT false NOT NULL,
    url text,
    components text[] DEFAULT '{}'::text[] NOT NULL,
    update_id text,
    body text,
    updates bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone,
    resolved_at timestamp with time zone,
    scheduled_for timestamp with time zone,
    scheduled_until timestamp with time zone,
    provider_updated_at timestamp with time zone,
    version bigint NOT NULL,
    needs_read boolean DEFAULT false NOT NULL,
    folded_at timestamp with time zone NOT NULL,
    CONSTRAINT status_incident_status_is_known CHECK ((status = ANY (ARRAY['unknown'::text, 'scheduled'::text, 'investigating'::text, 'in_progress'::text, 'identified'::text, 'monitoring'::text, 'verifying'::text, 'resolved'::text, 'completed'::text, 'postmortem'::text])))
);
COMMENT ON TABLE pawl.status_incident IS 'One row per incident and per scheduled maintenance of a status page.';
COMMENT ON COLUMN pawl.status_incident.entity_key IS 'instance:page id!incident id.';
COMMENT ON COLUMN pawl.status_incident.instance IS 'Host of the provider, statuspage.io.';
COMMENT ON COLUMN pawl.status_incident.page_id IS 'The provider''s id of the page.';
COMMENT ON COLUMN pawl.status_incident.incident_id IS 'The provider''s id of the incident.';
COMMENT ON COLUMN pawl.status_incident.name IS 'Title as of the newest snapshot.';
COMMENT ON COLUMN pawl.status_incident.status IS 'investigating, identified, monitoring, resolved, postmortem; of maintenance scheduled, in_progress, verifying, completed; or unknown.';
COMMENT ON COLUMN pawl.status_incident.impact IS 'In the provider''s word: none, minor, major, critical, maintenance.';
COMMENT ON COLUMN pawl.status_incident.maintenance IS 'It is scheduled maintenance.';
COMMENT ON COLUMN pawl.status_incident.url IS 'Address for people.';
COMMENT ON COLUMN pawl.status_incident.components IS 'Names of the components that the newest snapshot names, sorted.';
COMMENT ON COLUMN pawl.status_incident.update_id IS 'Id of the newest update, by when it was made and not by the time it is shown under.';
COMMENT ON COLUMN pawl.status_incident.body IS 'Text of that update.';
COMMENT ON COLUMN pawl.status_incident.updates IS 'Updates that the newest snapshot has: it orders snapshots of one instant.';
COMMENT ON COLUMN pawl.status_incident.created_at IS 'Made at, on the provider''s clock.';
COMMENT ON COLUMN pawl.status_incident.resolved_at IS 'Resolved at, on the provider''s clock; null while it goes on.';
COMMENT ON COLUMN pawl.status_incident.scheduled_for IS 'When the maintenance is to begin.';
COMMENT ON COLUMN pawl.status_incident.scheduled_until IS 'When it is to end.';
COMMENT ON COLUMN pawl.status_incident.provider_updated_at IS 'The incident''s own watermark: the newest time at which it or one of its updates was changed.';
COMMENT ON COLUMN pawl.status_incident.version IS 'Count of folds that changed the row.';
COMMENT ON COLUMN pawl.status_incident.needs_read IS 'Two snapshots of one instant contradict each other.';
COMMENT ON COLUMN pawl.status_incident.folded_at IS 'When the row last changed, on our clock.';

CREATE VIEW pawl.status_summary AS
 SELECT shown.instance,
    shown.page_id,
    (ARRAY['operational'::text, 'under_maintenance'::text, 'unknown'::text, 'degraded_performance'::text, 'partial_outage'::text, 'major_outage'::text])[max(shown.worst)] AS status,
    sum(shown.components) AS components,
    sum(shown.not_operational) AS not_operational,
    sum(shown.open_incidents) AS open_incidents,
    sum(shown.open_maintenance) AS open_maintenance,
    max(shown.provider_updated_at) AS provider_updated_at,
    max(shown.folded_at) AS folded_at
   FROM ( SELECT status_component.instance,
            status_component.page_id,
            array_position(ARRAY['operational'::text, 'under_maintenance'::text, 'unknown'::text, 'degraded_performance'::text, 'partial_outage'::text, 'major_outage'::text], status_component.status) AS worst,
            1 AS components,
            ((status_component.status <> 'operational'::text))::integer AS not_operational,
            0 AS open_incidents,
            0 AS open_maintenance,
            status_component.provider_updated_at,
            status_component.folded_at
           FROM pawl.status_component
        UNION ALL
         SELECT status_incident.instance,
            status_incident.page_id,
            NULL::integer,
            0,
            0,
            (((NOT status_incident.maintenance) AND (status_incident.status <> ALL (ARRAY['resolved'::text, 'completed'::text, 'postmortem'::text]))))::integer AS int4,
            ((status_incident.maintenance AND (status_incident.status <> ALL (ARRAY['resolved'::text, 'completed'::text, 'postmortem'::text]))))::integer AS int4,
            status_incident.provider_updated_at,
            status_incident.folded_at
           FROM pawl.status_incident) shown
  GROUP BY shown.instance, shown.page_id;
COMMENT ON VIEW pawl.status_summary IS 'A status page as one row: its worst component, and how much goes on. Made by a query from the rows, so no two deliveries can overwrite it.';

ALTER TABLE ONLY pawl.checkpoint
    ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (topic, log_partition);

ALTER TABLE ONLY pawl.comment
    ADD CONSTRAINT comment_pkey PRIMARY KEY (entity_key);

ALTER TABLE ONLY pawl.commit_check
    ADD CONSTRAINT commit_check_pkey PRIMARY KEY (commit_key, kind, app, name);

ALTER TABLE ONLY pawl.commit_rollup
    ADD CONSTRAINT commit_rollup_pkey PRIMARY KEY (entity_key);

ALTER TABLE ONLY pawl.dead_letter
    ADD CONSTRAINT dead_letter_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pawl.dead_letter
    ADD CONSTRAINT dead_letter_record_once UNIQUE (stage, topic, log_partition, log_offset);

ALTER TABLE ONLY pawl.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (transition_id, rule, entity_key);

ALTER TABLE ONLY pawl.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (topic, log_partition, log_offset);

ALTER TABLE ONLY pawl.issue_link
    ADD CONSTRAINT issue_link_pkey PRIMARY KEY (pull_request, target);

ALTER TABLE ONLY pawl.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (entity_key);

ALTER TABLE ONLY pawl.mutation
    ADD CONSTRAINT mutation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pawl.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (shard, id);

ALTER TABLE ONLY pawl.pull_request
    ADD CONSTRAINT pull_request_pkey PRIMARY KEY (entity_key);

ALTER TABLE ONLY pawl.pull_request_review
    ADD CONSTRAINT pull_request_review_pkey PRIMARY KEY (pull_request, id);

ALTER TABLE ONLY pawl.repository
    ADD CONSTRAINT repository_pkey PRIMARY KEY (entity_key);

ALTER TABLE ONLY pawl.review_thread
    ADD CONSTRAINT review_thread_pkey PRIMARY KEY (pull_request, id);

ALTER TABLE ONLY pawl.status_component
    ADD CONSTRAINT status_component_pkey PRIMARY KEY (entity_key);

ALTER TABLE ONLY pawl.status_incident
    ADD CONSTRAINT status_incident_pkey PRIMARY KEY (entity_key);

ALTER TABLE ONLY pawl.transition
    ADD CONSTRAINT transition_pkey PRIMARY KEY (id);

CREATE INDEX comment_issue ON pawl.comment USING btree (issue, created_at, entity_key) WHERE ((kind = 'issue'::text) AND (state = 'live'::text));

CREATE INDEX comment_parent ON pawl.comment USING btree (parent, created_at);

CREATE INDEX comment_unannounced ON pawl.comment USING btree (parent) WHERE (NOT announced);

CREATE INDEX commit_check_failed ON pawl.commit_check USING btree (name) WHERE (state = 'failure'::text);

CREATE INDEX commit_rollup_merge_group ON pawl.commit_rollup USING btree (instance, repository_id) WHERE (merge_group = 'requested'::text);

CREATE INDEX dead_letter_entity ON pawl.dead_letter USING btree (entity_key);

CREATE INDEX dead_letter_mutation ON pawl.dead_letter USING btree (mutation_id) WHERE (mutation_id IS NOT NULL);

CREATE INDEX dead_letter_open ON pawl.dead_letter USING btree (id) WHERE (resolved_at IS NULL);

CREATE INDEX dead_letter_unpublished ON pawl.dead_letter USING btree (id) WHERE (published_at IS NULL);

CREATE INDEX decision_entity ON pawl.decision USING btree (entity_key, decided_at);

CREATE INDEX decision_waiting_entity ON pawl.decision USING btree (entity_key, rule) WHERE (waits_for IS NOT NULL);

CREATE INDEX decision_waits ON pawl.decision USING gin (waits_for) WHERE (waits_for IS NOT NULL);

CREATE INDEX delivery_entity ON pawl.delivery USING btree (entity_key, log_offset);

CREATE INDEX delivery_source_delivery_id ON pawl.delivery USING btree (source, delivery_id);

CREATE INDEX issue_link_target ON pawl.issue_link USING btree (target);

CREATE INDEX mutation_entity ON pawl.mutation USING btree (entity_key, id);

CREATE UNIQUE INDEX mutation_key_is_held_once ON pawl.mutation USING btree (idempotency_key) WHERE (state <> ALL (ARRAY['skipped'::text, 'cancelled'::text]));

CREATE INDEX mutation_mirror ON pawl.mutation USING btree (((params ->> 'comment'::text))) WHERE (kind = 'bridge_comment'::text);

CREATE INDEX mutation_to_do ON pawl.mutation USING btree (next_attempt_at, entity_key) WHERE (state = ANY (ARRAY['pending'::text, 'claimed'::text]));

CREATE INDEX mutation_transition ON pawl.mutation USING btree (transition_id);

CREATE INDEX mutation_waiting ON pawl.mutation USING btree (next_attempt_at) WHERE (state = 'waiting'::text);

CREATE INDEX mutation_waiting_entity ON pawl.mutation USING btree (entity_key) WHERE (state = 'waiting'::text);

CREATE INDEX pull_request_head_commit ON pawl.pull_request USING btree (head_commit);

CREATE INDEX pull_request_needs_read ON pawl.pull_request USING btree (entity_key) WHERE needs_read;

CREATE INDEX pull_request_open ON pawl.pull_request USING btree (repository_id) WHERE (state = 'open'::text);

CREATE INDEX pull_request_repository ON pawl.pull_request USING btree (repository, number);

CREATE INDEX pull_request_repository_id ON pawl.pull_request USING btree (instance, repository_id);

CREATE INDEX pull_request_review_author ON pawl.pull_request_review USING btree (author, submitted_at);

CREATE INDEX repository_name ON pawl.repository USING btree (repository);

CREATE INDEX status_component_page ON pawl.status_component USING btree (instance, page_id, name);

CREATE INDEX status_incident_open ON pawl.status_incident USING btree (created_at) WHERE (status <> ALL (ARRAY['resolved'::text, 'completed'::text, 'postmortem'::text]));

CREATE INDEX status_incident_page ON pawl.status_incident USING btree (instance, page_id, created_at);

CREATE INDEX transition_entity ON pawl.transition USING btree (entity_key, log_offset);

CREATE INDEX transition_folded ON pawl.transition USING brin (folded_at) WITH (autosummarize='on');

CREATE TRIGGER mutation_wakes_actor AFTER INSERT ON pawl.mutation FOR EACH STATEMENT EXECUTE FUNCTION pawl.notify_mutation();

CREATE TRIGGER outbox_wakes_relay AFTER INSERT ON pawl.outbox FOR EACH STATEMENT EXECUTE FUNCTION pawl.notify_outbox();
