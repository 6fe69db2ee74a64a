select pull_request, id, coalesce(author, ''), author_is_bot, state, coalesce(head_sha, ''), coalesce(body, ''),
       coalesce(url, ''), submitted_at, provider_updated_at, version
  from pawl.pull_request_review
 where pull_request = any($1)
