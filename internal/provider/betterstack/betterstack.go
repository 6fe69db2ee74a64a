// Package betterstack reads the webhooks that Better Stack sends to subscribers of a
// status page (betterstack.com/docs, "Webhook subscriptions"): the outline of package
// page, with event_type beside it, which says no more than the member that is there.
//
// An incident has no status, no impact, no components and no end in what is
// documented. Its status is unknown here and it is never over: page.status_indicator is
// the whole page's, and says nothing of one incident. A maintenance has starts_at and
// ends_at. A component is operational, degraded, in downtime, in maintenance, or not
// monitored (the words for what is on a page); its sample was not at hand.
//
// Times are in whole seconds, so two changes of one second are told apart by what each
// says was before it, or the worse one stands. A signature is not documented: a delivery
// is proven by the path it is sent to. The subscription is confirmed by a person, with
// the link that comes by mail.
package betterstack

import "pawl/internal/provider/page"

// Name is the provider's name.
const Name = "betterstack"

// New returns the provider.
func New() page.Provider { return page.New(Name, "betterstack.com") }
