package gitlab

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pawl/internal/provider/webhook"
)

// Headers of the proof. The last three are those of Standard Webhooks, which
// GitLab sends where a webhook has a signing token.
const (
	headerToken     = "X-Gitlab-Token"
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

const (
	// signingPrefix begins a signing token. What follows is the key in base64.
	signingPrefix = "whsec_"
	// signatureVersion begins a signature that is an HMAC-SHA256 in base64.
	signatureVersion = "v1"
	// maxSkew bounds how far the time of signing may be from that of receiving,
	// in both directions.
	maxSkew = 5 * time.Minute
)

// Verify checks the proof of a delivery. Where one of the secrets is a signing
// token, only a signature under such a token counts: X-Gitlab-Token travels in
// clear text, and whoever has read it once could send anything. Otherwise
// X-Gitlab-Token must be one of the secrets.
func (Provider) Verify(in webhook.Delivery, secrets [][]byte) (int, error) {
	for _, secret := range secrets {
		if isSigningToken(secret) {
			return verifySignature(in, secrets)
		}
	}
	return verifyToken(in.Header, secrets)
}

func isSigningToken(secret []byte) bool { return strings.HasPrefix(string(secret), signingPrefix) }

// verifyToken compares hashes, so that neither the content nor the length of a
// secret shows in the time it takes.
func verifyToken(header http.Header, secrets [][]byte) (int, error) {
	given, err := single(header, headerToken)
	if err != nil {
		return 0, err
	}
	if given == "" {
		return 0, fmt.Errorf("%w: set a secret token on the webhook, so that it sends %s", webhook.ErrNoSignature, headerToken)
	}
	sum := sha256.Sum256([]byte(given))
	return webhook.FirstSecret(secrets, func(secret []byte) error {
		want := sha256.Sum256(secret)
		if !hmac.Equal(sum[:], want[:]) {
			return fmt.Errorf("%w: %s is none of the source's secrets", webhook.ErrSignature, headerToken)
		}
		return nil
	})
}

// verifySignature checks webhook-signature: the HMAC-SHA256 of id, timestamp and
// raw body under the key of a signing token.
func verifySignature(in webhook.Delivery, secrets [][]byte) (int, error) {
	signed, err := readSigned(in.Header)
	if err != nil {
		return 0, err
	}
	if err := checkSkew(signed.timestamp, in.ReceivedAt); err != nil {
		return 0, err
	}
	return webhook.FirstSecret(secrets, func(secret []byte) error {
		key, err := signingKey(secret)
		if err != nil {
			return err
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(signed.id + "." + signed.timestamp + "."))
		mac.Write(in.Raw)
		return signed.check(mac.Sum(nil))
	})
}

// signedHeaders are the three headers of a signature.
type signedHeaders struct{ id, timestamp, signatures string }

func readSigned(header http.Header) (signedHeaders, error) {
	var signed signedHeaders
	for _, field := range []struct {
		name string
		into *string
	}{{headerSignature, &signed.signatures}, {headerID, &signed.id}, {headerTimestamp, &signed.timestamp}} {
		value, err := single(header, field.name)
		if err != nil {
			return signedHeaders{}, err
		}
		if value == "" {
			return signedHeaders{}, fmt.Errorf("%w: %s is missing. The source has a signing token, so %s does not count: set the token on the webhook too",
				webhook.ErrNoSignature, field.name, headerToken)
		}
		*field.into = value
	}
	return signed, nil
}

// single returns the one value of a header, or "" where it is not there.
func single(header http.Header, name string) (string, error) {
	values := header.Values(name)
	if len(values) > 1 {
		return "", fmt.Errorf("%w: %s is there %d times", webhook.ErrSignature, name, len(values))
	}
	return header.Get(name), nil
}

// checkSkew refuses what was signed long ago: somebody may have kept it. A
// delivery without a time of receipt comes from a file and has no such bound.
func checkSkew(timestamp string, received time.Time) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %s is not a number of seconds", webhook.ErrSignature, headerTimestamp)
	}
	if received.IsZero() {
		return nil
	}
	if skew := received.Sub(time.Unix(seconds, 0)).Abs(); skew > maxSkew {
		return fmt.Errorf("%w: %s is %s from the time of receipt, want at most %s. Compare the clocks, or resend the delivery",
			webhook.ErrSignature, headerTimestamp, skew.Round(time.Second), maxSkew)
	}
	return nil
}

func signingKey(secret []byte) ([]byte, error) {
	text, ok := strings.CutPrefix(string(secret), signingPrefix)
	if !ok {
		return nil, fmt.Errorf("%w: a secret that is no signing token does not count beside one that is", webhook.ErrSignature)
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.Join(webhook.ErrNoSecret, errors.New("what follows "+signingPrefix+" in the signing token is not base64"))
	}
	if len(key) == 0 {
		return nil, fmt.Errorf("%w: nothing follows %s in the signing token", webhook.ErrNoSecret, signingPrefix)
	}
	return key, nil
}

// check looks for the wanted digest among the signatures: while a token is being
// changed, there is one of the old and one of the new.
func (s signedHeaders) check(want []byte) error {
	for entry := range strings.FieldsSeq(s.signatures) {
		version, text, _ := strings.Cut(entry, ",")
		if version != signatureVersion {
			continue
		}
		given, err := base64.StdEncoding.DecodeString(text)
		if err == nil && hmac.Equal(given, want) {
			return nil
		}
	}
	return fmt.Errorf("%w: no %s signature in %s is of the source's signing token", webhook.ErrSignature, signatureVersion, headerSignature)
}
