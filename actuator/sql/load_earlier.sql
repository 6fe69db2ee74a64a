-- The newest live comments of some issues, the oldest first.
select row_to_json(c)
  from (select *
          from pawl.comment
         where issue = any($1)
           and kind = 'issue'
           and state = 'live'
         order by created_at desc, entity_key desc
         limit $2) c
 order by c.created_at, c.entity_key
