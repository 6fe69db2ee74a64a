package gitea

import "pawl/internal/provider/payload"

// secretName is the member of the payload in which versions before 1.14 send the
// webhook's secret. It must not reach the log: each member of that name is cut
// out, at whatever depth, and all other bytes stay as they are.
const secretName = "secret"

// withoutSecret returns the body without its secrets. The error wraps
// webhook.ErrBody.
func withoutSecret(body []byte) ([]byte, error) { return payload.Without(body, secretName) }
