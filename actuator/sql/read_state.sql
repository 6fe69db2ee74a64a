select state from pawl.mutation where id = $1
