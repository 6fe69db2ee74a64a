-- Rows for the queries of docs/state.md: 20,000 pull requests of 100 repositories,
-- one in twenty of them open, and what stands around them.
insert into pawl.pull_request (
       entity_key, instance, repository_id, repository, number, title, state, head_sha, head_commit, checks_state, checks, reviews,
       approvals, unresolved_threads, queued, needs_read, version, folded_at)
select 'github.com:' || 101 + n % 100 || '#' || 7 + n / 100, 'github.com', 101 + n % 100,
       case n % 100 when 0 then 'acme/api' else 'acme/lib-' || n % 100 end, 7 + n / 100, 'Change ' || n,
       case n % 20 when 0 then 'open' when 1 then 'closed' else 'merged' end, md5(n::text),
       'github.com:' || 101 + n % 100 || '@' || md5(n::text),
       case when n % 10 = 0 then 'failure' else 'success' end,
       json_build_array(json_build_object('app', 'ci', 'name', 'unit', 'state', case when n % 10 = 0 then 'failure' else 'success' end)),
       json_build_array(json_build_object('author', 'ann', 'state', 'approved', 'head_sha', md5(n::text))),
       1, n % 3, n % 200 = 0, n % 1000 = 0, 1, now()
  from generate_series(0, 19999) as n;

insert into pawl.commit_rollup (entity_key, instance, repository_id, repository, sha, state, total, pending, merge_group, merge_group_ref, version, folded_at)
select head_commit, instance, repository_id, repository, head_sha, 'pending', 1, 1,
       case when number = 7 then 'requested' when number < 20 then 'destroyed' end, 'refs/heads/gh-readonly-queue/main/pr-' || number, 1, now()
  from pawl.pull_request;

insert into pawl.commit_check (commit_key, kind, app, name, status, conclusion, state, version, folded_at)
select head_commit, 'check_run', 'ci', case when c.n = 1 and number % 10 = 7 then 'unit' else 'check-' || number % 10 || '-' || c.n end,
       'completed', case checks_state when 'failure' then 'timed_out' else 'success' end, checks_state, 1, now()
  from pawl.pull_request, generate_series(1, 5) as c (n);

insert into pawl.pull_request_review (pull_request, id, author, state, head_sha, submitted_at, version, folded_at)
select entity_key, '1', case when number % 50 = 7 then 'ann' else 'person-' || number end, 'approved', head_sha, now(), 1, now()
  from pawl.pull_request;

insert into pawl.review_thread (pull_request, id, resolved, commented, live, version, folded_at)
select entity_key, t.id, t.id = '2', true, array['github.com:comment/' || t.id], 1, now()
  from pawl.pull_request, (values ('1'), ('2'), ('3')) as t (id);

insert into pawl.comment (entity_key, parent, state, author, body, created_at, version, folded_at)
select 'github.com:comment/' || row_number() over (), entity_key, 'live', 'ann', 'Looks good.', now(), 1, now()
  from pawl.pull_request;

insert into pawl.comment (entity_key, parent, kind, issue, state, author, body, created_at, version, folded_at)
select 'linear.app:comment/' || n, 'linear.app:issue/' || n % 5000, 'issue', 'ENG-' || n % 5000, 'live', 'Ann', 'Looks good.', now() + n * interval '1 second', 1, now()
  from generate_series(1, 20000) as n;

insert into pawl.issue_link (pull_request, target, kind, folded_at)
select entity_key, 'ENG-' || 116 + number % 150, 'mentions', now()
  from pawl.pull_request;

insert into pawl.repository (entity_key, instance, repository_id, repository, state, version, folded_at)
select 'github.com:' || 101 + n, 'github.com', 101 + n, case n when 0 then 'acme/api' else 'acme/lib-' || n end, 'live', 1, now()
  from generate_series(0, 9999) as n;

insert into pawl.status_component (entity_key, instance, page_id, component_id, name, status, version, folded_at)
select 'statuspage.io:pg' || n % 500 || '/c' || n, 'statuspage.io', 'pg' || n % 500, 'c' || n, 'Component ' || n,
       case n % 7 when 1 then 'major_outage' else 'operational' end, 1, now()
  from generate_series(1, 20000) as n;

insert into pawl.status_incident (entity_key, instance, page_id, incident_id, name, status, impact, body, created_at, version, folded_at)
select 'statuspage.io:pg' || n % 500 || '!i' || n, 'statuspage.io', 'pg' || n % 500, 'i' || n, 'Incident ' || n,
       case n % 400 when 1 then 'investigating' else 'resolved' end, 'minor', 'Looking.', now() - n * interval '1 hour', 1, now()
  from generate_series(1, 20000) as n;

analyze;
