package actuator

import (
	"maps"
	"sync"
	"time"
)

// chain is how far a merge has come: refused, then refused by the queue. What a
// refusal asks for is a change of its own, and where the budget puts that off,
// the next attempt must not spend its turn on the refused calls again: it would
// come to the last one never.
type chain struct {
	merge, enqueue error
	// putOff: the call that the refusals ask for was not started.
	putOff bool
	until  time.Time
}

// chains are the merges that were refused a moment ago, by pull request and head.
type chains struct {
	mu sync.Mutex // mu guards what follows
	of map[string]chain
}

// chainKept bounds how long a refusal is remembered: what it says may change.
const chainKept = 5 * time.Minute

func newChains() *chains { return &chains{of: make(map[string]chain)} }

func chainKey(ref Ref, sha string) string { return ref.String() + "@" + sha }

// waiting returns the refusals of a merge whose next call was put off.
func (c *chains) waiting(ref Ref, sha string) chain {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.of[chainKey(ref, sha)]
	if !held.putOff || time.Now().After(held.until) {
		return chain{}
	}
	return held
}

// refused notes a refusal that asks for another call.
func (c *chains) refused(ref Ref, sha string, note func(*chain)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(c.of, func(_ string, held chain) bool { return now.After(held.until) })
	held := c.of[chainKey(ref, sha)]
	note(&held)
	held.putOff, held.until = false, now.Add(chainKept)
	c.of[chainKey(ref, sha)] = held
}

// ended notes what became of the call that was asked for: put off, or over.
func (c *chains) ended(ref Ref, sha string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held, ok := c.of[chainKey(ref, sha)]
	switch {
	case !ok:
	case err != nil && classify(err).verdict == limited:
		held.putOff = true
		c.of[chainKey(ref, sha)] = held
	default:
		delete(c.of, chainKey(ref, sha))
	}
}
