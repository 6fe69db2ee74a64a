package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	netsmtp "net/smtp"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/email/smtp"
)

const mailForm = "smtp://USER:PASSWORD@HOST:587/?from=ADDRESS&to=ADDRESS,ADDRESS"

// parseMail reads a mailbox's url by the library's own rules.
func parseMail(to target) (target, *SendError) {
	if fault := addressFault(to.url); fault != "" {
		return target{}, permanent(to.scheme, "%s", fault)
	}
	reader, at := &smtp.Service{}, *to.url
	if err := contain(func() error { return reader.Initialize(&at, nil) }); err != nil { // its text has parts of the url
		return target{}, permanent(to.scheme, "the url has not the form %s", mailForm)
	}
	to.mail = reader.Config
	to.mail.FixEmailTags()
	if to.mail.SkipTLSVerify {
		return target{}, permanent(to.scheme, "skiptlsverify is not offered; give the host a certificate that this machine trusts")
	}
	for _, address := range append([]string{to.mail.FromAddress}, to.mail.ToAddresses...) {
		if parsed, err := netmail.ParseAddress(address); err != nil || parsed.Address != address {
			return target{}, permanent(to.scheme, "from and to are plain addresses, several with a comma between: %s", mailForm)
		}
	}
	return to, nil
}

func (s *Sender) sendMail(ctx context.Context, to target, message Message) *SendError {
	address := net.JoinHostPort(to.mail.Host, strconv.Itoa(int(to.mail.Port)))
	at := schemeSMTP + "://" + address
	leave, again, reason := s.hosts.enter(foldHost(address))
	if leave == nil {
		return later(at, again, "%s", reason)
	}
	call := &mailCall{config: to.mail, message: message, roots: s.roots}
	err := call.make(ctx, s.guard, address)
	fault, how := call.outcome(ctx, at, err)
	leave(how)
	return fault
}

// mailCall is one talk with a mail server. All recipients are in one
// transaction: it is taken for all of them, or for none.
type mailCall struct {
	config  *smtp.Config
	message Message
	roots   *x509.CertPool
	// sent says that the message has left whole, and the server has it or not.
	sent bool
}

func (c *mailCall) make(ctx context.Context, guard *guard, address string) error {
	connection, err := guard.dial(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer connection.Close()
	stop := context.AfterFunc(ctx, func() { _ = connection.SetDeadline(time.Now()) })
	defer stop()
	if c.implicitTLS() {
		connection = tls.Client(connection, c.tls())
	}
	server, err := netsmtp.NewClient(connection, c.config.Host)
	if err != nil {
		return err
	}
	if err := c.greet(server); err != nil {
		return err
	}
	if err := c.deliver(server); err != nil {
		return err
	}
	_ = server.Quit() // it is taken already
	return nil
}

func (c *mailCall) tls() *tls.Config {
	return &tls.Config{ServerName: c.config.Host, RootCAs: c.roots, MinVersion: tls.VersionTLS12}
}

func (c *mailCall) implicitTLS() bool {
	switch c.config.Encryption {
	case smtp.EncImplicitTLS:
		return true
	case smtp.EncAuto:
		return c.config.Port == smtp.ImplicitTLSPort
	case smtp.EncExplicitTLS, smtp.EncNone:
	}
	return false
}

var errNoTLS = errors.New("the server offers no encryption")

func (c *mailCall) greet(server *netsmtp.Client) error {
	if err := server.Hello(c.clientHost()); err != nil {
		return err
	}
	demanded := c.config.RequireStartTLS || c.config.Encryption == smtp.EncExplicitTLS
	if !c.implicitTLS() && (demanded || c.config.UseStartTLS) {
		offered, _ := server.Extension("STARTTLS")
		if demanded && !offered {
			return errNoTLS
		}
		if offered {
			if err := server.StartTLS(c.tls()); err != nil {
				return err
			}
		}
	}
	login := c.login()
	if login == nil {
		return nil
	}
	// A password goes over an open wire to this machine only.
	if _, encrypted := server.TLSConnectionState(); !encrypted && c.config.Auth != smtp.AuthCRAMMD5 && !isLoopback(c.config.Host) {
		return errNoTLS
	}
	return server.Auth(login)
}

// isLoopback reports what net/smtp takes for this machine.
func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

func (c *mailCall) clientHost() string {
	if c.config.ClientHost != "auto" {
		return c.config.ClientHost
	}
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

func (c *mailCall) login() netsmtp.Auth {
	user, password := c.config.Username, c.config.Password
	switch c.config.Auth {
	case smtp.AuthPlain:
		return netsmtp.PlainAuth("", user, password, c.config.Host)
	case smtp.AuthCRAMMD5:
		return netsmtp.CRAMMD5Auth(user, password)
	case smtp.AuthOAuth2:
		return smtp.OAuth2Auth(user, password)
	case smtp.AuthLogin:
		return smtp.LoginAuth(user, password, c.config.Host)
	case smtp.AuthNone, smtp.AuthUnknown:
	}
	return nil
}

func (c *mailCall) deliver(server *netsmtp.Client) error {
	if err := server.Mail(c.config.FromAddress); err != nil {
		return err
	}
	for _, address := range c.config.ToAddresses {
		if err := server.Rcpt(address); err != nil {
			return err
		}
	}
	body, err := server.Data()
	if err != nil {
		return err
	}
	if _, err := body.Write(c.text(time.Now())); err != nil {
		return err
	}
	// From here on the server can have it; before, it has no end and is nothing.
	c.sent = true
	return body.Close()
}

// text returns the mail. Its Message-Id is the key, by which some servers and
// readers drop the second of two.
func (c *mailCall) text(now time.Time) []byte {
	from := netmail.Address{Name: c.config.FromName, Address: c.config.FromAddress}
	kind := "text/plain"
	if c.config.UseHTML {
		kind = "text/html"
	}
	headers := [][2]string{
		{"From", from.String()},
		{"To", strings.Join(c.config.ToAddresses, ", ")},
		{"Subject", mime.QEncoding.Encode("utf-8", c.subject())},
		{"Date", now.Format(time.RFC1123Z)},
		{"MIME-Version", "1.0"},
		{"Content-Type", kind + "; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	}
	if isKey(c.message.Key) {
		_, domain, _ := strings.Cut(c.config.FromAddress, "@")
		headers = append(headers, [2]string{"Message-Id", "<" + c.message.Key + "@" + domain + ">"})
	}
	var text bytes.Buffer
	for _, header := range headers {
		fmt.Fprintf(&text, "%s: %s\r\n", header[0], header[1])
	}
	text.WriteString("\r\n")
	body := quotedprintable.NewWriter(&text)
	_, _ = body.Write([]byte(c.message.Text)) // a buffer takes all
	_ = body.Close()
	return text.Bytes()
}

// subject is the title, that of the url, or the first line.
func (c *mailCall) subject() string {
	subject := c.message.Title
	if subject == "" {
		subject = c.config.Subject
	}
	if subject == "" {
		subject, _, _ = strings.Cut(strings.TrimSpace(c.message.Text), "\n")
	}
	return strings.Join(strings.Fields(subject), " ")
}

// outcome classifies how a call ended. The server's own text can name addresses
// and users, so the code alone is said.
func (c *mailCall) outcome(ctx context.Context, at string, err error) (*SendError, outcome) {
	var refusal *textproto.Error
	switch {
	case err == nil:
		return nil, answered
	case errors.Is(err, errNoTLS):
		return permanent(at, "%s, which the url or its password demands", errNoTLS), answered
	case errors.As(err, &refusal) && refusal.Code/100 == 5:
		return permanent(at, "answered %d", refusal.Code), answered
	case errors.As(err, &refusal):
		return later(at, time.Time{}, "answered %d", refusal.Code), answered
	}
	return connectionFault(ctx, at, c.sent, err), outcomeOf(ctx, err)
}
