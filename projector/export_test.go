package projector

// SetStep installs a function that is called before each step of Apply; its
// error ends the step there, as a crash would.
func (a *Applier) SetStep(step func(name string) error) { a.step = step }

// Prepare makes one record ready as the fetch side does.
var Prepare = prepare

// SetUnmet takes out the lock on which results and new heads meet.
func (a *Applier) SetUnmet() { a.unmet = true }
