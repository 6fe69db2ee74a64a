package github_test

import (
	"net/http"
	"testing"

	"pawl/internal/provider/github"
	"pawl/internal/provider/webhook"
)

func BenchmarkVerify(b *testing.B) {
	body := fullBody(b)
	header := http.Header{"X-Hub-Signature-256": {sign(body, "secret")}}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := verify(header, string(body), "secret"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	in := delivery("pull_request", string(fullBody(b)))
	b.SetBytes(int64(len(in.Raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (github.Provider{}).Seal(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSealForm(b *testing.B) {
	in := formDelivery("pull_request", string(fullBody(b)))
	b.SetBytes(int64(len(in.Raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (github.Provider{}).Seal(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	record, err := (github.Provider{}).Seal(delivery("pull_request", string(fullBody(b))))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(record.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (github.Provider{}).Decode(record); err != nil {
			b.Fatal(err)
		}
	}
}

// delivery is a delivery without a signature, as Seal sees it.
func delivery(event, body string) webhook.Delivery {
	return webhook.Delivery{
		Header: http.Header{
			http.CanonicalHeaderKey("X-GitHub-Event"):    {event},
			http.CanonicalHeaderKey("X-GitHub-Delivery"): {"d-1"},
		},
		Raw:         []byte(body),
		ContentType: "application/json",
		Instance:    "github.com",
		Source:      "github",
	}
}
