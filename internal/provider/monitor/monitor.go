// Package monitor reads deliveries of home-made monitors: the outline of package page,
// as small as schemas/monitor.v1.schema.json says. Whoever sends them keeps a clock for
// each component and each incident, updated_at, and proves itself by the token in the
// path.
package monitor

import "pawl/internal/provider/page"

// Name is the provider's name.
const Name = "monitor"

// New returns the provider.
func New() page.Provider { return page.New(Name, "monitor") }
