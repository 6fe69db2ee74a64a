-- One row for each rule that listened, and each entity that it may act on. A
-- transition that comes again finds its rows there, and only the decisions that are
-- returned may open mutations.
insert into pawl.decision (transition_id, rule, entity_key, outcome, reason, "values", waits_for, rules_hash, mode, decided_at)
select $1, d.rule, d.entity_key, d.outcome, d.reason, nullif(d.said, '')::json, nullif(d.waits_for, '{}')::text[], $2, $3, now()
  from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
       as d (rule, entity_key, outcome, reason, said, waits_for)
on conflict (transition_id, rule, entity_key) do nothing
returning rule, entity_key
