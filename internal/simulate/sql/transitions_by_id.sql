select value
  from pawl.transition
 where id = any ($1)
