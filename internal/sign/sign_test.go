package sign_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pawl/internal/provider"
	"pawl/internal/provider/webhook"
	"pawl/internal/sign"
)

var (
	signingToken = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	now          = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

const body = `{"number":7,"repository":{"id":101}}`

func delivery(raw, contentType string) webhook.Delivery {
	return webhook.Delivery{Header: http.Header{}, Raw: []byte(raw), ContentType: contentType, ReceivedAt: now}
}

// TestSign_EveryProviderVerifiesIt: what is signed is taken under its secret, and
// under no other; whatever proof it had before is gone.
func TestSign_EveryProviderVerifiesIt(t *testing.T) {
	t.Parallel()
	form := url.Values{"payload": {body}}.Encode()
	for _, name := range provider.Names() {
		of, _ := provider.ByName(name)
		secrets := []string{"a secret"}
		if name == "gitlab" {
			secrets = append(secrets, signingToken)
		}
		for _, secret := range secrets {
			for contentType, raw := range map[string]string{string(webhook.JSON): body, string(webhook.Form): form} {
				in := delivery(raw, contentType)
				for _, header := range []string{"X-Hub-Signature-256", "X-Hub-Signature", "X-Forgejo-Signature", "X-Gitlab-Token", "Webhook-Signature"} {
					in.Header.Set(header, "sha256=00")
				}
				if err := sign.Sign(name, in, []byte(secret)); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				in.Token = sign.Token(name, []byte(secret))
				if place, err := of.Verify(in, [][]byte{[]byte(secret)}); err != nil || place != 0 {
					t.Errorf("%s, %s: Verify() = %d, %v", name, contentType, place, err)
				}
				if _, err := of.Verify(in, [][]byte{[]byte("another")}); err == nil {
					t.Errorf("%s, %s: another secret verifies it", name, contentType)
				}
			}
		}
	}
}

// TestName_EveryProviderSealsIt: the headers are those that a provider asks for.
func TestName_EveryProviderSealsIt(t *testing.T) {
	t.Parallel()
	events := map[string]string{"gitlab": "Push Hook", "bitbucket": "repo:push"}
	for _, name := range provider.Names() {
		of, _ := provider.ByName(name)
		event, special := events[name]
		if !special {
			event = "push"
		}
		in := delivery(body, string(webhook.JSON))
		if err := sign.Name(name, in.Header, event, "d-1"); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		record, err := of.Seal(in)
		if err != nil || record.ID != "d-1" && !provider.TakesToken(of) || record.Event == "" {
			t.Errorf("%s: Seal() = %s %q, %v", name, record.ID, record.Event, err)
		}
	}
}

// GitHub's own example ("Validating webhook deliveries").
func TestSign_GitHubsVector(t *testing.T) {
	t.Parallel()
	in := delivery("Hello, World!", string(webhook.JSON))
	if err := sign.Sign("github", in, []byte("It's a Secret to Everybody")); err != nil {
		t.Fatal(err)
	}
	const want = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	if got := in.Header.Get("X-Hub-Signature-256"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSign_GitLabKeepsTheDeliverysID(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"Idempotency-Key": "key-1", "Webhook-Id": "key-1", "X-Other": ""} {
		in := delivery(body, string(webhook.JSON))
		in.Header.Set(header, "key-1")
		if err := sign.Sign("gitlab", in, []byte(signingToken)); err != nil {
			t.Fatal(err)
		}
		got := in.Header.Get("Webhook-Id")
		if want != "" && got != want || want == "" && !strings.HasPrefix(got, "msg_") {
			t.Errorf("with %s: webhook-id = %q", header, got)
		}
		if in.Header.Get("X-Gitlab-Token") != "" {
			t.Error("the signing token travels in clear text")
		}
	}
}

func TestSign_Faults(t *testing.T) {
	t.Parallel()
	if err := sign.Sign("sourceforge", delivery(body, ""), []byte("s")); err == nil || !strings.Contains(err.Error(), "sourceforge") {
		t.Errorf("unknown provider: %v", err)
	}
	if err := sign.Name("sourceforge", http.Header{}, "push", "d-1"); err == nil || !strings.Contains(err.Error(), "sourceforge") {
		t.Errorf("unknown provider: %v", err)
	}
	if err := sign.Sign("gitlab", delivery(body, ""), []byte("whsec_!")); err == nil {
		t.Error("a signing token that is not base64 is taken")
	}
	if err := sign.Sign("gitea", delivery("a=b", string(webhook.Form)), []byte("s")); err == nil {
		t.Error("a form without a payload is signed")
	}
}
