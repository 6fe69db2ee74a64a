insert into pawl.issue_link (pull_request, target, kind, folded_at)
select x.pull_request, x.target, x.kind, $4
  from unnest($1::text[], $2::text[], $3::text[]) as x (pull_request, target, kind)
    on conflict (pull_request, target) do update
   set kind = excluded.kind
