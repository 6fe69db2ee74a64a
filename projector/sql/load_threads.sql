select pull_request, id, resolved, stated, commented, live, provider_updated_at, version
  from pawl.review_thread
 where pull_request = any($1)
