package notify_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"pawl/internal/notify"
)

// postbox is a mail server that takes what it is sent, but for the commands that
// it answers otherwise.
type postbox struct {
	net.Listener
	// answers begin with what they answer to.
	answers map[string]string
	tls     *tls.Config
	// implicit says that a connection begins encrypted.
	implicit bool

	mu       sync.Mutex
	commands []string
	mails    []string
}

func newPostbox(t *testing.T, box *postbox) *postbox {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	box.Listener = listener
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go box.serve(connection)
		}
	}()
	return box
}

func (b *postbox) serve(connection net.Conn) {
	defer func() { _ = connection.Close() }()
	if b.implicit {
		connection = tls.Server(connection, b.tls)
	}
	in := bufio.NewReader(connection)
	fmt.Fprint(connection, "220 here\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		b.note(line)
		verb, _, _ := strings.Cut(line, " ")
		answer, scripted := b.answers[verb]
		switch {
		case answer == "hang":
			_, _ = io.Copy(io.Discard, in)
			return
		case scripted:
			fmt.Fprint(connection, answer+"\r\n")
		case verb == "EHLO":
			fmt.Fprint(connection, "250-here\r\n")
			if b.tls != nil && !b.implicit {
				fmt.Fprint(connection, "250-STARTTLS\r\n")
			}
			fmt.Fprint(connection, "250 AUTH PLAIN LOGIN CRAM-MD5\r\n")
		case verb == "STARTTLS":
			fmt.Fprint(connection, "220 go\r\n")
			connection = tls.Server(connection, b.tls)
			in = bufio.NewReader(connection)
		case verb == "AUTH":
			fmt.Fprint(connection, "235 welcome\r\n")
		case verb == "DATA":
			if !b.take(connection, in) {
				return
			}
		case verb == "QUIT":
			fmt.Fprint(connection, "221 bye\r\n")
			return
		default:
			fmt.Fprint(connection, "250 ok\r\n")
		}
	}
}

// take reads a mail, and answers to it as to a command named ".".
func (b *postbox) take(connection net.Conn, in *bufio.Reader) bool {
	fmt.Fprint(connection, "354 go\r\n")
	var mail strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		mail.WriteString(strings.TrimPrefix(line, "."))
	}
	b.mu.Lock()
	b.mails = append(b.mails, mail.String())
	b.mu.Unlock()
	switch answer, scripted := b.answers["."]; {
	case answer == "close":
		return false
	case scripted:
		fmt.Fprint(connection, answer+"\r\n")
	default:
		fmt.Fprint(connection, "250 taken\r\n")
	}
	return true
}

func (b *postbox) note(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.commands = append(b.commands, line)
}

func (b *postbox) heard(verb string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, command := range b.commands {
		if strings.HasPrefix(command, verb) {
			n++
		}
	}
	return n
}

func (b *postbox) taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.mails...)
}

func (b *postbox) url(more string) string {
	return "smtp://user123:pass123@" + b.Addr().String() + "/?from=pawl@example.com&to=a@example.com,b%2Btag@example.com" + more
}

func TestMail_Arrives(t *testing.T) {
	t.Parallel()
	box := newPostbox(t, &postbox{})
	text := "api is down\n.\nbücher " + strings.Repeat("long ", 50)
	err := newSender(t, loopback()).Send(t.Context(), box.url(""), notify.Message{Title: "Status\r\nBcc: x@example.com, ü", Text: text, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	got, err := netmail.ReadMessage(strings.NewReader(box.taken()[0]))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"From": "<pawl@example.com>", "To": "a@example.com, b+tag@example.com", "Bcc": "",
		"Message-Id": "<" + key + "@example.com>", "Content-Type": "text/plain; charset=utf-8",
	} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("%s: %q, want %q", name, value, want)
		}
	}
	if subject := got.Header.Get("Subject"); !strings.HasPrefix(subject, "=?utf-8?q?Status_Bcc") {
		t.Errorf("subject %q", subject)
	}
	if _, err := got.Header.Date(); err != nil {
		t.Errorf("date: %v", err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(got.Body))
	if read := strings.ReplaceAll(string(body), "\r\n", "\n"); err != nil || strings.TrimSuffix(read, "\n") != text {
		t.Errorf("text %q, %v, want %q", read, err, text)
	}
	if box.heard("RCPT") != 2 || box.heard("AUTH PLAIN") != 1 {
		t.Errorf("commands %v, want two recipients after a login", box.commands)
	}
}

// TestMail_Failures: what an attempt came to, by how far it got.
func TestMail_Failures(t *testing.T) {
	t.Parallel()
	const said = "no pass123 for user123 a@example.com" // a server's text is not repeated
	for name, c := range map[string]struct {
		answers map[string]string
		more    string
		verdict notify.Verdict
	}{
		"login refused":       {map[string]string{"AUTH": "535 " + said}, "", notify.Permanent},
		"login later":         {map[string]string{"AUTH": "454 " + said}, "", notify.Later},
		"recipient refused":   {map[string]string{"RCPT": "550 " + said}, "", notify.Permanent},
		"recipient later":     {map[string]string{"RCPT": "451 " + said}, "", notify.Later},
		"mail refused":        {map[string]string{".": "554 " + said}, "", notify.Permanent},
		"mail later":          {map[string]string{".": "452 " + said}, "", notify.Later},
		"answer lost":         {map[string]string{".": "close"}, "", notify.Unknown},
		"hangs before":        {map[string]string{"MAIL": "hang"}, "", notify.Later},
		"no encryption":       {nil, "&requirestarttls=yes", notify.Permanent},
		"no encryption there": {nil, "&encryption=ExplicitTLS", notify.Permanent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := newPostbox(t, &postbox{answers: c.answers})
			config := loopback()
			config.Timeout = 20 * time.Second
			if strings.HasPrefix(name, "hangs") {
				config.Timeout = 200 * time.Millisecond
			}
			fault := failure(t, newSender(t, config).Send(t.Context(), box.url(c.more), message))
			if want := "smtp://" + box.Addr().String(); fault.Verdict != c.verdict || fault.Target != want {
				t.Errorf("got %s, %v, want %s at %s", fault.Verdict, fault, c.verdict, want)
			}
			noSecret(t, fault, []string{"user123", "pass123", "example.com"})
			if mails := len(box.taken()); (mails == 1) != (c.answers["."] != "") {
				t.Errorf("%d mails have left", mails)
			}
		})
	}
}

// TestMail_Encryption: a password goes over an encrypted connection to a host
// that proved its name, or not at all.
func TestMail_Encryption(t *testing.T) {
	t.Parallel()
	certified := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1 and example.com
	t.Cleanup(certified.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(certified.Certificate())
	for name, c := range map[string]struct {
		host, more string
		roots      *x509.CertPool
		offered    bool
		implicit   bool
		reason     string
	}{
		"starttls":            {"example.com", "", trusted, true, false, ""},
		"implicit":            {"example.com", "&encryption=ImplicitTLS", trusted, true, true, ""},
		"unknown certificate": {"example.com", "", nil, true, false, "certificate"},
		"another's name":      {"other.example.test", "", trusted, true, false, "certificate"},
		"not offered":         {"example.com", "", trusted, false, false, "no encryption"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := &postbox{implicit: c.implicit}
			if c.offered {
				box.tls = &tls.Config{Certificates: certified.TLS.Certificates}
			}
			newPostbox(t, box)
			sender := newSender(t, loopback())
			sender.SetRoots(c.roots)
			sender.SetResolver(resolver(t, "127.0.0.1"))
			_, port, _ := net.SplitHostPort(box.Addr().String())
			err := sender.Send(t.Context(), "smtp://user123:pass123@"+c.host+":"+port+"/?from=a@b.c&to=d@e.f"+c.more, message)
			if c.reason == "" {
				if err != nil || len(box.taken()) != 1 {
					t.Errorf("Send() = %v, %d mails", err, len(box.taken()))
				}
				return
			}
			if fault := failure(t, err); !strings.Contains(fault.Reason, c.reason) {
				t.Errorf("got %v, want %q", fault, c.reason)
			}
			if box.heard("AUTH") != 0 {
				t.Error("the password was sent")
			}
		})
	}
}
