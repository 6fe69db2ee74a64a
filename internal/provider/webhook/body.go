package webhook

import (
	"fmt"
	"net/url"
)

// BodyOf returns the JSON of a delivery's body: the body itself, or a form's
// payload field. The error wraps ErrMedia or ErrBody.
func BodyOf(in Delivery) ([]byte, error) {
	if in.ContentType == "" {
		return in.Raw, nil
	}
	media, err := MediaOf(in.ContentType)
	if err != nil {
		return nil, err
	}
	switch media {
	case JSON:
		return in.Raw, nil
	case Form:
		return formPayload(in.Raw)
	}
	return nil, fmt.Errorf("%w: %q", ErrMedia, media) // unreachable unless MediaOf knows more types than this
}

func formPayload(raw []byte) ([]byte, error) {
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, fmt.Errorf("%w: the form is broken: %w", ErrBody, err)
	}
	payloads := form["payload"]
	if len(payloads) != 1 || payloads[0] == "" {
		return nil, fmt.Errorf("%w: the form must have one field payload with the JSON, it has %d", ErrBody, len(payloads))
	}
	return []byte(payloads[0]), nil
}
