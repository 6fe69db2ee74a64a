package notify_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"pawl/internal/notify"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "64:ff9b::808:808": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "127.255.255.255": false, "0.0.0.0": false, "0.1.2.3": false,
		"10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "100.127.255.255": false,
		"192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false,
		"224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a00:1": false, "64:ff9b:1::1": false,
		"fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false,
		"2001::1": false, "2001:db8::1": false, "2002:7f00:1::": false, "100::1": false, "4000::1": false,
	} {
		if got := notify.IsPublic(address); got != want {
			t.Errorf("IsPublic(%s) = %t, want %t", address, got, want)
		}
	}
}

// TestGuard_RefusesPrivateAddresses: however the address is written, and by
// every way of sending.
func TestGuard_RefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	sender := newSender(t, notify.Config{})
	sender.SetResolver(resolver(t, "127.0.0.1"))
	for _, url := range []string{
		r.hook("/"),
		"http://localhost" + port + "/#" + secret,
		"http://hooks.example.test" + port + "/#" + secret,
		"http://hooks.example.test." + port + "/#" + secret,
		"http://[::ffff:127.0.0.1]" + port + "/#" + secret,
		"http://[::ffff:7f00:1]" + port + "/#" + secret,
		"http://[::1]" + port + "/#" + secret,
		"http://[::]" + port + "/#" + secret,
		"http://0.0.0.0" + port + "/#" + secret,
		"http://127.0.0.2" + port + "/#" + secret,
		"http://169.254.169.254/latest/meta-data#" + secret,
		"http://10.0.0.1/#" + secret,
		"http://[fd00::1]/#" + secret,
		"ntfy://hooks.example.test" + port + "/topic?scheme=http",
		"mattermost://127.0.0.1" + port + "/token?disabletls=yes",
		"gotify://0x7f.1" + port + "/Aaa.bbb.ccc.ddd?disabletls=yes",
		"signal://127.0.0.1" + port + "/+1234567890/+0987654321?disabletls=yes",
		"matrix://:token@127.0.0.1" + port + "/?disableTLS=yes",
		"smtp://127.0.0.1" + port + "/?from=a@b.c&to=d@e.f",
		"smtp://hooks.example.test" + port + "/?from=a@b.c&to=d@e.f",
	} {
		fault := failure(t, sender.Send(t.Context(), url, message))
		if fault.Verdict != notify.Permanent || !strings.Contains(fault.Reason, "notify.allow") {
			t.Errorf("%s: got %s, %v, want permanent: not a public address", url, fault.Verdict, fault)
		}
	}
	if got := r.requests(); len(got) != 0 {
		t.Errorf("reached %v", got)
	}
}

func TestGuard_Allows(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	for allow, reached := range map[string]map[string]bool{
		"127.0.0.0/8":        {"127.0.0.1": true, "hooks.example.test": true, "[::ffff:127.0.0.1]": true},
		"127.0.0.1":          {"127.0.0.1": true, "hooks.example.test": true},
		"::ffff:127.0.0.1":   {"127.0.0.1": true},
		"Hooks.Example.Test": {"hooks.example.test": true, "HOOKS.example.test.": true, "127.0.0.1": false, "other.example.test": false},
		"10.0.0.0/8":         {"127.0.0.1": false},
		"::/0":               {"127.0.0.1": false},
		"0.0.0.0/0":          {"127.0.0.1": true},
	} {
		sender := newSender(t, notify.Config{Allow: []string{allow}})
		sender.SetResolver(resolver(t, "127.0.0.1"))
		for host, want := range reached {
			if err := sender.Send(t.Context(), "http://"+host+port+"/#"+secret, message); (err == nil) != want {
				t.Errorf("allow %s: %s: %v, want reached %t", allow, host, err, want)
			}
		}
	}
}

// TestGuard_LooksAtWhatIsConnectedTo: a name that was public when it was looked
// up before is judged by what it is at the connection.
func TestGuard_LooksAtWhatIsConnectedTo(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	sender := newSender(t, notify.Config{})
	sender.SetResolver(resolver(t, "198.18.0.1", "127.0.0.1"))
	for range 2 {
		fault := failure(t, sender.Send(t.Context(), "http://rebind.example.test"+port+"/#"+secret, message))
		if fault.Verdict != notify.Permanent {
			t.Errorf("got %s, %v, want permanent", fault.Verdict, fault)
		}
	}
	if got := r.requests(); len(got) != 0 {
		t.Errorf("reached %v", got)
	}
}

func TestGuard_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	inner := newReceiver(t, status(http.StatusOK))
	for _, code := range []int{301, 302, 303, 307, 308} {
		r := newReceiver(t, func(w http.ResponseWriter, request *http.Request) { http.Redirect(w, request, inner.URL, code) })
		if fault := failure(t, newSender(t, loopback()).Send(t.Context(), r.hook("/"), message)); fault.Verdict != notify.Permanent {
			t.Errorf("%d: %s, want permanent", code, fault.Verdict)
		}
	}
	if got := inner.requests(); len(got) != 0 {
		t.Errorf("followed to %v", got)
	}
}

// TestGuard_UsesNoProxy: a proxy would connect where the guard refuses.
func TestGuard_UsesNoProxy(t *testing.T) {
	proxy := newReceiver(t, status(http.StatusOK))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	sender := newSender(t, loopback())
	sender.SetResolver(resolver(t, "10.0.0.1"))
	if err := sender.Send(t.Context(), "http://hooks.example.test/#"+secret, message); err == nil {
		t.Error("Send() succeeded")
	}
	if got := proxy.requests(); len(got) != 0 {
		t.Errorf("the proxy got %v", got)
	}
}

func TestNew_ReportsEveryFaultOfAllow(t *testing.T) {
	t.Parallel()
	_, err := notify.New(notify.Config{Allow: []string{"10.0.0.0/8", "10.0.0.0/99", "https://a.b/", "127.1", "", "::ffff:10.0.0.0/104", "ok.example.com"}})
	if err == nil {
		t.Fatal("New() took it")
	}
	for _, want := range []string{"allow[1]", "allow[2]", "allow[3]", "allow[4]", "allow[5]"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "allow[0]") || strings.Contains(err.Error(), "allow[6]") {
		t.Errorf("%v names what is right", err)
	}
}

// resolver answers every question for an IPv4 address with the next of the
// addresses, over and over.
func resolver(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	server, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	var asked atomic.Int64
	go func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(packet)
			if err != nil {
				return
			}
			end := 12
			for packet[end] != 0 {
				end += int(packet[end]) + 1
			}
			isA := packet[end+2] == 1
			answer := append([]byte{packet[0], packet[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, packet[12:min(end+5, n)]...)
			if isA {
				next := addresses[int(asked.Add(1)-1)%len(addresses)]
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				answer = append(answer, net.ParseIP(next).To4()...)
			}
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}
