package webhook_test

import (
	"errors"
	"testing"

	"pawl/internal/provider/webhook"
)

func TestMediaOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		given string
		want  webhook.Media
	}{
		{"application/json", webhook.JSON},
		{"Application/JSON; charset=utf-8", webhook.JSON},
		{"application/json; charset", webhook.JSON},
		{"application/x-www-form-urlencoded", webhook.Form},
		{"application/x-www-form-urlencoded;charset=UTF-8", webhook.Form},
		{"", ""},
		{"text/plain", ""},
		{"multipart/form-data; boundary=x", ""},
		{"application/json, text/plain", ""},
		{";", ""},
	} {
		got, err := webhook.MediaOf(test.given)
		if got != test.want || errors.Is(err, webhook.ErrMedia) != (test.want == "") {
			t.Errorf("MediaOf(%q) = %q, %v, want %q", test.given, got, err, test.want)
		}
	}
}
