// Package actuator decides on transitions by the rules, and brings about at the
// provider what they want: each effect once.
//
//	pawl.transitions ──decide──▶ pawl.decision, pawl.mutation        (one transaction)
//	                                      │
//	     ┌──────────── claim ◀────────────┘   lease of the entity, fence + 1
//	     ▼
//	  again? ──no──▶ settle skipped            `when` on the newest row
//	     │yes
//	   look ──there already──▶ settle done     the live pull request, all comments
//	     │   └─precondition gone─▶ settle skipped
//	    act ──answer──▶ settle done
//	     │   └─refused until a time─▶ settle pending, at that time
//	     │   └─cannot succeed─▶ settle dead, dead letter
//	     └─unknown outcome─▶ look ──there──▶ settle done
//	                           └─not there─▶ settle pending, later
//
// The states of a mutation:
//
//	planned        waiting ──contrary state──▶ cancelled   key given back
//	(mode plan)       │ its time
//	                  ▼
//	               pending ──claim──▶ claimed ──settle──▶ done
//	                  ▲                  ├──────────────▶ skipped   key given back
//	                  │                  ├──────────────▶ dead      dead letter
//	                  └──── at a time ───┘
//
// Where one is skipped or dead, the later ones of its decision are cancelled, wait
// for the person who retries or drops the dead one, or are done all the same, as
// the rule says (on_refusal). What is more than the limits allow is opened dead.
//
// # What is promised
//
// One actor per pull request (I9). Mutations of an entity are done in the order
// of their ids, by the holder of its lease. A lease ends by the database's
// clock, and no call to the provider is started within a margin of its end,
// counted on the local monotonic clock from before the lease was asked for: a
// clock that is wrong, or a statement that was slow, makes the time shorter and
// never longer. A call's timeout is below the margin, so a call that was started
// is over before the lease is. A settle names the fence of its claim, and
// changes nothing when another has claimed since.
//
// Look, then act (I10). The key of a mutation is unique in the database among
// those that hold it, and is left at the provider: the head sha on a merge, a
// hidden marker in a comment; labels and closing are sets, where twice is once.
// The first attempt asks the rule's condition again before it looks. A later
// attempt looks first, because an earlier one may have had its effect, and the
// effect itself may be why the condition no longer holds.
//
// Claims end (I11). What failed goes back to pending with a time, and its lease
// is released; only later mutations of its own entity wait for it. What was
// skipped gives its key back. What cannot succeed becomes a dead letter.
//
// # Why a lease and a key, and not one of them
//
// A fence guards the rows, not GitHub: GitHub compares no fence. An actor that
// is paused after its call has left, for longer than the lease, is beyond any
// lock; its effect shows when it shows. The head sha makes the second merge
// fail, sets absorb the second label, and for comments the late actor, whose
// settle was refused, asks for another look, which removes the newer of the two.
// The key alone would not do either: two actors that look at the same moment
// both see nothing.
//
// # Why not one row per attempt, or a queue
//
// A mutation has one row with a state, so that the question "has this happened"
// is one row, and `pawl explain` prints it. A queue would hold messages of one
// entity in many hands at once, or one failing entity would hold up its
// partition: here a retry is a time in a row, and nobody sleeps holding a lease.
//
// # Gates
//
// A rule may read the status of a component of a status page. decide attaches the
// statuses to the transition under a lock that the change of a component takes
// too: without it a decision could read the old status while the change looks for
// decisions that wait, and each would miss the other. A change decides the same
// transitions again, under the same keys.
//
// # Mirrors
//
// A mirror is a mutation of the pull request, whichever side it is written to: in
// the pull request's order and under its lease. Under the pull request it is a
// sticky comment that is found by its marker; under the issue its id is chosen
// before it is made, and a second one of that id is refused by the tracker.
//
// # What a crash leaves
//
// Between decide's transaction and the commit of its offset: the transition is
// read again and finds its decisions. Between claim and settle: a claimed
// mutation under a lease that ends by itself. Whoever takes it counts another
// attempt, and so looks before acting. Between effect and settle: the same, and
// the look finds the effect.
package actuator
