package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// FreePort returns a port of 127.0.0.1 on which nobody listens. It is below the
// range that kernels give to outgoing connections: between this call and the
// listen, or while a broker is down and its clients dial it again and again, no
// connection is given that port, not even one that a client makes to itself.
func FreePort(ctx context.Context) (int, error) {
	const lowest, highest, attempts = 15000, 32000, 100
	var config net.ListenConfig
	var last error
	for range attempts {
		port := lowest + rand.IntN(highest-lowest)
		listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
		if err == nil {
			return port, listener.Close()
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return 0, fmt.Errorf("find a free port: %w", last)
}
