// Package statuspage reads the webhooks of Atlassian Statuspage: the outline of
// package page as it stands there. It signs nothing, so a delivery is proven by the
// path it is sent to, and it takes each 2xx for a success
// (support.atlassian.com, "Enable webhook notifications").
package statuspage

import "pawl/internal/provider/page"

// Name is the provider's name.
const Name = "statuspage"

// New returns the provider.
func New() page.Provider { return page.New(Name, "statuspage.io") }
