package actuator

import (
	"context"
	"net/http"
	"time"

	"pawl/schemas"
)

// Seams of the tests: where an actor can be stopped, and what happens when the
// guards are taken away.

// The steps at which OnStep is called.
const (
	StepClaimed = string(stepClaimed)
	StepLooked  = string(stepLooked)
	StepActed   = string(stepActed)
)

// OnStep calls do at each step of each mutation. To block in it is to be dead,
// or paused, to everybody else.
func (a *Actuator) OnStep(do func(step string, m schemas.Mutation)) {
	a.onStep = func(s step, m mutation) { do(string(s), m.Mutation) }
}

// RetryAtOnce takes the pauses between attempts away.
func (a *Actuator) RetryAtOnce() { a.backoff = func(int) time.Duration { return 0 } }

// Unguard takes away the lease and the check of the key: who claims does not
// ask who else does, and a key may be held by any number of mutations.
func (a *Actuator) Unguard() {
	a.store.sql.claimEntity = `
		insert into pawl.lease as l (entity_key, owner, fence, expires_at)
		select entity_key, $1, 1, now() + $2::interval
		  from pawl.mutation where state = 'pending' order by id limit 1
		on conflict (entity_key) do update set owner = excluded.owner
		returning l.entity_key, l.fence`
	a.store.sql.takeMutation = `
		with next as (
		  select id from pawl.mutation
		   where entity_key = $1 and state = 'pending' and $4::interval is not null
		   order by id limit 1 for update skip locked
		)
		update pawl.mutation m
		   set state = 'claimed', fence = $2, claimed_by = $3, claimed_at = now(), attempt = m.attempt + 1
		  from next where m.id = next.id
		returning m.id, m.entity_key, m.rule, m.kind, m.params, m.idempotency_key, m.transition_id, m.attempt, m.created_at,
		          m.transition, (select row_to_json(p) from pawl.pull_request p where p.entity_key = m.entity_key), '[]'::json`
	a.store.sql.openMutations = `
		insert into pawl.mutation (entity_key, rule, kind, params, idempotency_key, position,
		                           transition_id, transition, state, next_attempt_at, created_at, on_refusal)
		select m.entity_key, m.rule, m.kind, m.params::json, m.idempotency_key, m.position, $7, m.transition::json, m.state,
		       now() + make_interval(secs => m.delay), now(), m.on_refusal
		  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[],
		              $8::text[], $9::text[], $10::float8[], $11::text[], $12::text[])
		       as m (entity_key, rule, kind, params, idempotency_key, position, transition, state, delay, reason, on_refusal)
		returning idempotency_key`
}

// Classify returns the verdict of an error and how long it says to wait.
func Classify(err error) (string, time.Duration) {
	f := classify(err)
	return string(f.verdict), f.wait
}

// WithoutOwn is withoutOwn, with the kinds and labels of what was done before.
func WithoutOwn(newest, decided *schemas.PullRequest, kind schemas.MutationKind, params string) *schemas.PullRequest {
	return withoutOwn(newest, decided, []doneBefore{{Kind: kind, Params: []byte(params)}})
}

// Marker is the marker of a key.
func Marker(key schemas.IdempotencyKey) string { return marker(key) }

// MarkerKey is the key of the marker that a comment ends in.
func MarkerKey(body string) (schemas.IdempotencyKey, bool) { return markerKey(body) }

// Backoff is the pause after an attempt.
func Backoff(first time.Duration, attempt int) time.Duration { return backoffFrom(first)(attempt) }

// Reason is what a mutation says of an error.
func Reason(err error) string { return classify(err).Error() }

// Wake makes pending what waited for its time.
func (a *Actuator) Wake(ctx context.Context) error { return a.store.wakeWaiting(ctx) }

// Evidence sends a request as acting does, and returns what is noted of it.
func Evidence(next http.RoundTripper, request *http.Request) (sent, answer string, response *http.Response, err error) {
	ctx, noted := withEvidence(request.Context())
	response, err = noteCalls{next}.RoundTrip(request.WithContext(ctx))
	return noted.sent, noted.answer, response, err
}

// OnBackoff has do see each pause between attempts, and decide the one that is
// made.
func (a *Actuator) OnBackoff(do func(attempt int, pause time.Duration) time.Duration) {
	backoff := a.backoff
	a.backoff = func(attempt int) time.Duration { return do(attempt, backoff(attempt)) }
}

// Unlock takes away the locks on which a decision and a change of a component meet.
func (a *Actuator) Unlock() {
	a.store.sql.lockStatus = "select $1::int, $2::text"
	a.store.sql.lockStatusShared = a.store.sql.lockStatus
}
