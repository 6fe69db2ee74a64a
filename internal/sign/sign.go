// Package sign makes deliveries as a provider sends them: the headers that name
// the event, and the proof under a secret. It is the other side of what the
// providers verify, for sending what was recorded.
package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"pawl/internal/provider"
	"pawl/internal/provider/webhook"
)

// signingPrefix begins a signing token of GitLab, whose key follows in base64.
const signingPrefix = "whsec_"

// Headers that are set, and read where they are there.
const (
	headerIdempotency = "Idempotency-Key"
	headerID          = "Webhook-Id"
)

// proofs are the headers of every proof. Those that a recorded delivery brings
// were made under another secret.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var proofs = [...]string{
	"X-Hub-Signature-256", "X-Hub-Signature", "X-Gitea-Signature", "X-Forgejo-Signature", "X-Gogs-Signature",
	"X-Gitlab-Token", "Webhook-Timestamp", "Webhook-Signature", "Linear-Signature",
}

// Sign puts the provider's proof of a secret into the delivery's headers, in
// place of any that is there. The delivery's time of receipt is the time of
// signing.
func Sign(of string, in webhook.Delivery, secret []byte) error {
	for _, name := range proofs {
		in.Header.Del(name)
	}
	switch of {
	case "github": // docs.github.com, "Validating webhook deliveries"
		in.Header.Set("X-Hub-Signature-256", "sha256="+digest(secret, in.Raw))
	case "bitbucket": // support.atlassian.com, "Manage webhooks": a SHA-256 under this name
		in.Header.Set("X-Hub-Signature", "sha256="+digest(secret, in.Raw))
	case "gitea": // docs.gitea.com, "Webhooks": of the JSON, also where it stands in a form
		body, err := webhook.BodyOf(in)
		if err != nil {
			return err
		}
		in.Header.Set("X-Gitea-Signature", digest(secret, body))
	case "gitlab": // docs.gitlab.com, "Webhooks"
		return signGitLab(in, secret)
	case "linear": // linear.app/developers/webhooks
		in.Header.Set("Linear-Signature", digest(secret, in.Raw))
	default:
		if takesToken(of) { // no header: see Token
			return nil
		}
		return fmt.Errorf("provider %q signs in no way that is known", of)
	}
	return nil
}

// takesToken reports whether a provider's deliveries are proven by the path they are
// sent to. Those have no headers of their own.
func takesToken(name string) bool {
	found, known := provider.ByName(name)
	return known && provider.TakesToken(found)
}

// Token returns what stands behind the source in the path of a delivery, as the
// provider's only proof of a secret. It is empty for providers that sign.
func Token(of string, secret []byte) string {
	if !takesToken(of) {
		return ""
	}
	return string(secret)
}

// signGitLab sends the secret itself, or signs under a signing token as Standard
// Webhooks describe it.
func signGitLab(in webhook.Delivery, secret []byte) error {
	text, signs := strings.CutPrefix(string(secret), signingPrefix)
	if !signs {
		in.Header.Set("X-Gitlab-Token", string(secret))
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("what follows %s in the signing token is not base64: %w", signingPrefix, err)
	}
	id := in.Header.Get(headerID)
	if id == "" {
		id = in.Header.Get(headerIdempotency)
	}
	if id == "" {
		id = "msg_" + digest(key, in.Raw)
	}
	timestamp := strconv.FormatInt(in.ReceivedAt.Unix(), 10)
	signed := sum(key, []byte(id+"."+timestamp+"."), in.Raw)
	in.Header.Set(headerID, id)
	in.Header.Set("Webhook-Timestamp", timestamp)
	in.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(signed))
	return nil
}

// Name sets the headers that name the event and the delivery, for a body that
// comes without any. An event is named as in the provider's header: pull_request,
// "Merge Request Hook", pullrequest:created. Status pages have no such headers.
func Name(of string, header http.Header, event, id string) error {
	if takesToken(of) {
		return nil
	}
	names, known := map[string][2]string{
		"github":    {"X-GitHub-Event", "X-GitHub-Delivery"},
		"gitea":     {"X-Gitea-Event", "X-Gitea-Delivery"},
		"gitlab":    {"X-Gitlab-Event", headerIdempotency},
		"bitbucket": {"X-Event-Key", "X-Request-UUID"},
		"linear":    {"Linear-Event", "Linear-Delivery"},
	}[of]
	if !known {
		return fmt.Errorf("provider %q names events in no way that is known", of)
	}
	header.Set(names[0], event)
	header.Set(names[1], id)
	return nil
}

func digest(secret, text []byte) string { return hex.EncodeToString(sum(secret, text)) }

func sum(secret []byte, texts ...[]byte) []byte {
	mac := hmac.New(sha256.New, secret)
	for _, text := range texts {
		mac.Write(text)
	}
	return mac.Sum(nil)
}
