package page_test

import (
	"errors"
	"testing"

	"pawl/internal/provider/page"
	"pawl/internal/provider/webhook"
	"pawl/schemas"
)

func TestWordOf_PagesWriteOneWordInManyWays(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]schemas.ComponentStatus{
		"UNDERMAINTENANCE": schemas.ComponentUnderMaintenance,
		"major outage":     schemas.ComponentMajorOutage,
		"fine":             schemas.ComponentUnknown,
		"":                 schemas.ComponentUnknown,
	} {
		if got := page.WordOf(word, schemas.ComponentStatuses(), schemas.ComponentUnknown); got != want {
			t.Errorf("WordOf(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestVerify_OnlyASecretIsAProof(t *testing.T) {
	t.Parallel()
	secrets := [][]byte{[]byte("old"), []byte("new")}
	for token, want := range map[string]error{"": webhook.ErrNoSignature, "ne": webhook.ErrSignature, "new": nil} {
		place, err := page.New("page", "page.example").Verify(webhook.Delivery{Token: token}, secrets)
		if !errors.Is(err, want) || (want == nil && place != 1) {
			t.Errorf("Verify(%q) = %d, %v, want %v", token, place, err, want)
		}
	}
}

func TestDeliveryID_OneBodyHasOneID(t *testing.T) {
	t.Parallel()
	id := page.DeliveryID("u1", []byte("{}"))
	if id != page.DeliveryID("u1", []byte("{}")) || id == page.DeliveryID("u1", []byte("[]")) {
		t.Errorf("the id %q does not follow the body", id)
	}
}
