package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// errRefused is why the guard let a connection not be made.
var errRefused = errors.New("the address is not a public one")

// reserved are the ranges that netip does not name, and that are not anybody's
// public address: IANA's special-purpose registries.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var reserved = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // between a carrier and its customers
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"), // with the broadcast address
	netip.MustParsePrefix("2001::/23"),   // with Teredo, which holds IPv4 addresses
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4: holds IPv4 addresses
	netip.MustParsePrefix("3fff::/20"),
}

var (
	publicIPv6 = netip.MustParsePrefix("2000::/3")
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
)

// isPublic reports whether an address can be somebody's on the internet.
func isPublic(address netip.Addr) bool {
	address = address.WithZone("").Unmap()
	if nat64.Contains(address) {
		bytes := address.As16()
		return isPublic(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	if address.Is6() && !publicIPv6.Contains(address) {
		return false
	}
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	for _, prefix := range reserved {
		if prefix.Contains(address) {
			return false
		}
	}
	return true
}

// guard makes connections to public addresses, and to those that are allowed.
type guard struct {
	hosts  map[string]bool
	ranges []netip.Prefix
	dialer net.Dialer
}

// newGuard reads what is allowed: names of hosts, addresses, ranges.
func newGuard(allow []string) (*guard, error) {
	g := &guard{hosts: map[string]bool{}}
	var faults []error
	for i, entry := range allow {
		if err := g.allow(entry); err != nil {
			faults = append(faults, fmt.Errorf("notify.allow[%d]: %w", i, err))
		}
	}
	return g, errors.Join(faults...)
}

func (g *guard) allow(entry string) error {
	if strings.Contains(entry, "/") {
		prefix, err := netip.ParsePrefix(entry)
		if err != nil {
			return fmt.Errorf("%q is not a range like 10.0.0.0/8; write an address without scheme and path", entry)
		}
		if prefix.Addr().Is4In6() {
			return fmt.Errorf("%q: write the range in its IPv4 form", entry)
		}
		g.ranges = append(g.ranges, prefix.Masked())
		return nil
	}
	if address, err := netip.ParseAddr(entry); err == nil {
		address = address.WithZone("").Unmap()
		g.ranges = append(g.ranges, netip.PrefixFrom(address, address.BitLen()))
		return nil
	}
	if fault := hostFault(entry); fault != "" {
		return fmt.Errorf("%q is not a host, an address or a range: %s", entry, fault)
	}
	g.hosts[foldHost(entry)] = true
	return nil
}

// dial is a DialContext that refuses.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := g.dialer
	if !g.hosts[foldHost(host)] {
		// After the name is resolved, once for each of its addresses: what was
		// looked at is what is connected to.
		dialer.ControlContext = g.control
	}
	return dialer.DialContext(ctx, network, address)
}

func (g *guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !g.allows(at.Addr()) {
		return errRefused
	}
	return nil
}

func (g *guard) allows(address netip.Addr) bool {
	if isPublic(address) {
		return true
	}
	address = address.WithZone("").Unmap()
	for _, prefix := range g.ranges {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// foldHost returns the one form of a host's name.
func foldHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }
