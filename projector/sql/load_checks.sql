select commit_key, kind, app, name, attempt, retry, status, coalesce(conclusion, ''), state, coalesce(url, ''),
       started_at, completed_at, provider_updated_at, received_at, version
  from pawl.commit_check
 where commit_key = any($1)
