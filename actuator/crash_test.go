package actuator_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/actuator"
	"pawl/internal/fakegithub"
	"pawl/schemas"
)

// TestI11_SpentKeyIsNotGivenBack: the actor dies after its effect; the effect
// makes the condition false. To skip would open the key for a second one.
func TestI11_SpentKeyIsNotGivenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, ruleOf("{close: {}}"))
	gone, next := r.actor("gone"), r.actor("next")
	number := r.github.Open(repo, fakegithub.PullRequest{})
	r.decide(gone, r.transition(number, schemas.KindLabelsChanged))
	there, wake := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(wake) })
	gone.OnStep(func(step string, _ schemas.Mutation) {
		if step == actuator.StepActed {
			close(there)
			<-wake
		}
	})
	go func() { _, _ = gone.Pass(context.Background()) }()
	await(t, "the actor is gone", there)
	r.fold(number) // the echo: closed, so that `when` is false
	r.expire()
	r.passes(next)
	if diff := cmp.Diff([]standing{{"r", "close", "done"}}, r.mutations(number)); diff != "" {
		t.Errorf("mutations (-want +got):\n%s\n%s", diff, r.reason(number))
	}
}
