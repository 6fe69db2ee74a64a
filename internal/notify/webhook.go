package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The secret of Standard Webhooks: 24 to 64 bytes, in base64 behind a prefix.
const (
	secretPrefix = "whsec_"
	minSecret    = 24
	maxSecret    = 64
	maxKey       = 128
)

// webhookBody is the body of a webhook. It holds nothing of the attempt, so each
// attempt of a message sends the same bytes. Fields are added, never renamed.
type webhookBody struct {
	Type  string `json:"type"`
	Key   string `json:"key"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
	Data  any    `json:"data,omitempty"`
}

// parseWebhook reads the secrets out of the fragment, which is never sent.
func parseWebhook(to target) (target, *SendError) {
	if fault := addressFault(to.url); fault != "" {
		return target{}, permanent(to.scheme, "%s", fault)
	}
	if to.url.Fragment == "" {
		return target{}, permanent(to.scheme, "the url has no secret to sign with; add #%s and the secret in base64 to its end", secretPrefix)
	}
	for part := range strings.SplitSeq(to.url.Fragment, ",") {
		encoded, found := strings.CutPrefix(part, secretPrefix)
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil || len(secret) < minSecret || len(secret) > maxSecret {
			return target{}, permanent(to.scheme, "what stands behind # is not a secret: %s and %d to %d bytes in base64, several with a comma between",
				secretPrefix, minSecret, maxSecret)
		}
		to.secrets = append(to.secrets, secret)
	}
	to.url.Fragment, to.url.RawFragment = "", ""
	return to, nil
}

func (s *Sender) sendWebhook(ctx context.Context, to target, message Message) *SendError {
	at := origin(to.url)
	if !isKey(message.Key) {
		return permanent(at, "the message's key is empty, too long, or no header's value")
	}
	body, err := json.Marshal(webhookBody{Type: "notify", Key: message.Key, Title: message.Title, Text: message.Text, Data: message.Data})
	if err != nil {
		return permanent(at, "the message's data is not JSON")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url.String(), bytes.NewReader(body))
	if err != nil {
		return permanent(at, "no request can be made of the url")
	}
	sent := strconv.FormatInt(time.Now().Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "pawl")
	request.Header.Set("Idempotency-Key", message.Key)
	request.Header.Set("Webhook-Id", message.Key)
	request.Header.Set("Webhook-Timestamp", sent)
	request.Header.Set("Webhook-Signature", signatures(to.secrets, message.Key, sent, body))
	_, fault := s.exchange(request)
	return fault
}

// signatures signs with each secret, so that a receiver can change its own.
func signatures(secrets [][]byte, key, sent string, body []byte) string {
	var signed []string
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(key + "." + sent + "."))
		mac.Write(body)
		signed = append(signed, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signed, " ")
}

// isKey reports whether a key can stand in a header and in what is signed, where
// a dot ends it.
func isKey(key string) bool {
	for _, char := range key {
		if char <= ' ' || char > '~' || char == '.' {
			return false
		}
	}
	return key != "" && len(key) <= maxKey
}
