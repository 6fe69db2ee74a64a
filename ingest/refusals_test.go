package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pawl/ingest"
	"pawl/internal/kafkatest"
	"pawl/internal/provider/own"
	"pawl/schemas"
)

// deliveries returns what is in the log less what the edge made itself.
func deliveries(all []logged) []logged {
	return slices.DeleteFunc(all, func(l logged) bool { return l.record.Provider == own.Name })
}

// forged is a delivery that no secret of the source signed.
func forged(t *testing.T) *http.Request {
	t.Helper()
	r := post(t, goodBody)
	r.Header.Set("X-Hub-Signature-256", sign([]byte(goodBody), "guess"))
	return r
}

// notes returns the refusals that were noted, with their source and outcome.
func (m *memory) notes(t *testing.T) []own.Refusals {
	t.Helper()
	var notes []own.Refusals
	for _, record := range m.all() {
		if record.Provider != own.Name {
			continue
		}
		var note own.Refusals
		if err := json.Unmarshal(record.Body, &note); err != nil {
			t.Fatal(err)
		}
		notes = append(notes, note)
	}
	return notes
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = err
}

func counts(notes []own.Refusals) []int64 {
	made := []int64{}
	for _, note := range notes {
		made = append(made, note.Count)
	}
	return made
}

func TestRefusals_AreInTheLog(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Start(t)
	edge, _ := newEdge(t, newAppender(t, broker, ingest.AppenderConfig{}), func(cfg *ingest.Config) {
		cfg.Sources = append(cfg.Sources, ingest.Source{
			Name: "second", Provider: "github", Instance: "ghe.acme.com", Secrets: []ingest.Secret{{Value: []byte(oldSecret)}},
		})
	})
	serve(edge, forged(t))
	unsigned := post(t, goodBody)
	unsigned.URL.Path = "/webhooks/second"
	unsigned.Header.Del("X-Hub-Signature-256")
	serve(edge, unsigned)
	gitlab := post(t, goodBody)
	gitlab.Header = http.Header{"Content-Type": {"application/json"}, "X-Gitlab-Event": {"Push Hook"}, "X-Gitlab-Token": {"the token"}}
	serve(edge, gitlab)
	if err := edge.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range readLog(t, broker) {
		event, err := own.DecodeRefusals(l.record)
		if err != nil {
			t.Fatal(err)
		}
		told, _, _ := strings.Cut(event.Ignored, ", ")
		got = append(got, fmt.Sprintf("%s %s %s", l.record.Key, l.record.Type(), told))
		if l.record.TraceParent == "" || l.record.ReceivedAt.IsZero() {
			t.Errorf("no trace or no time: %+v", l.record)
		}
	}
	slices.Sort(got)
	want := []string{
		"ghe.acme.com pawl.refusals source second refused 1 delivery: they carry no signature that is accepted; set a secret on the webhook (signature_missing",
		"github.com pawl.refusals source github refused 1 delivery: no secret of the source makes their signature; the webhook has another secret",
		"github.com pawl.refusals source github refused 1 delivery: they are of another provider than the source is configured for; send this webhook to a source with provider gitlab",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("notes (-got +want):\n%s", diff)
	}
}

// Nobody proved who sent it, so nothing of it may reach the log.
func TestRefusals_HoldNothingOfTheRequest(t *testing.T) {
	t.Parallel()
	const mark = "zebra"
	log := &memory{}
	edge, _ := newEdge(t, log, func(cfg *ingest.Config) { cfg.MaxBody = 500 })
	changes := map[string]func(r *http.Request){
		"signature_wrong":   func(r *http.Request) { r.Header.Set("X-Hub-Signature-256", "sha256="+mark) },
		"signature_missing": func(r *http.Request) { r.Header.Del("X-Hub-Signature-256") },
		"wrong_provider":    func(r *http.Request) { r.Header.Set("X-Gitea-Event", mark) },
		"headers":           func(r *http.Request) { r.Header.Set("X-GitHub-Enterprise-Host", mark) },
		"media_type":        func(r *http.Request) { r.Header.Set("Content-Type", "text/"+mark) },
		"too_large":         func(r *http.Request) { r.ContentLength = 501 },
		"body":              nil,
	}
	for outcome, change := range changes {
		body := `{"a":"` + mark + `"}`
		if outcome == "body" {
			body = mark
		}
		r := post(t, body)
		r.Header.Set("X-GitHub-Delivery", mark)
		r.Header.Set("User-Agent", mark)
		r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		if change != nil {
			change(r)
		}
		if got := serve(edge, r).Code; got/100 != 4 {
			t.Errorf("%s: status %d", outcome, got)
		}
	}
	if err := edge.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(log.all()); got != len(changes) || len(log.kept()) != 0 {
		t.Errorf("%d records, of them %d deliveries, want %d notes", got, len(log.kept()), len(changes))
	}
	for _, record := range log.all() {
		if text := fmt.Sprintf("%+v %s", record, record.Body); strings.Contains(text, mark) || strings.Contains(text, "4bf92f3577b34da6") {
			t.Errorf("the note holds a part of the request: %s", text)
		}
	}
	for _, note := range log.notes(t) {
		if _, known := changes[note.Outcome]; !known || note.Reason == "" {
			t.Errorf("note %+v", note)
		}
	}
}

// What the log or the network did is no fault of the source.
func TestRefusals_OtherAnswersAreNotNoted(t *testing.T) {
	t.Parallel()
	log := &memory{}
	edge, _ := newEdge(t, log, nil)
	get, lost, cut := post(t, goodBody), post(t, goodBody), post(t, goodBody)
	get.Method = http.MethodGet
	lost.URL.Path = "/webhooks/nowhere"
	cut.ContentLength++
	for _, r := range []*http.Request{get, lost, cut} {
		serve(edge, r)
	}
	log.fail(ingest.ErrLog)
	if got := serve(edge, post(t, goodBody)).Code; got != http.StatusServiceUnavailable {
		t.Errorf("status = %d, want 503", got)
	}
	log.fail(nil)
	if err := edge.Drain(t.Context()); err != nil || len(log.all()) != 0 {
		t.Errorf("%d records, %v, want none", len(log.all()), err)
	}
}

func TestRefusals_FloodIsOneNoteAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &memory{}
		edge, _ := newEdge(t, log, nil)
		start := time.Now().UTC()
		for range 150 { // seconds, ten requests in each
			for range 10 {
				serve(edge, forged(t))
			}
			time.Sleep(time.Second)
		}
		if diff := cmp.Diff(counts(log.notes(t)), []int64{1, 600, 600}, cmp.Comparer(near)); diff != "" {
			t.Errorf("counts after 150 s (-got +want):\n%s", diff)
		}
		if err := edge.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		notes, sum := log.notes(t), int64(0)
		for _, count := range counts(notes) {
			sum += count
		}
		if len(notes) != 4 || sum != 1500 {
			t.Errorf("%d notes of %d refusals, want 4 of 1500", len(notes), sum)
		}
		if first, last := notes[0].FirstAt, notes[3].LastAt; !first.Equal(start) || !last.Equal(start.Add(149*time.Second)) {
			t.Errorf("from %s to %s, want from %s to 149 s later", first, last, start)
		}
	})
}

// near takes what falls on a whole minute on either side of it.
func near(a, b int64) bool { return a-b <= 10 && b-a <= 10 }

func TestRefusals_EndAndBeginAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &memory{}
		edge, _ := newEdge(t, log, nil)
		for range 3 {
			serve(edge, forged(t))
			synctest.Wait()
			time.Sleep(time.Hour)
		}
		if diff := cmp.Diff(counts(log.notes(t)), []int64{1, 1, 1}); diff != "" {
			t.Errorf("counts (-got +want):\n%s", diff)
		}
	})
}

// A log that is away delays nobody, and what could not be noted is noted later:
// the record that may be in it already under the id it had.
func TestRefusals_LogAway(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		log  *memory
		want []int64
	}{
		{"before it kept the note", &memory{before: ingest.ErrLog}, []int64{1, 4}},
		{"after it kept the note", &memory{after: ingest.ErrLog}, []int64{1, 1, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				edge, _ := newEdge(t, test.log, nil)
				serve(edge, forged(t))
				synctest.Wait()
				for range 4 {
					serve(edge, forged(t))
				}
				test.log.mu.Lock()
				test.log.before, test.log.after = nil, nil
				test.log.mu.Unlock()
				time.Sleep(3 * time.Minute)
				if diff := cmp.Diff(counts(test.log.notes(t)), test.want); diff != "" {
					t.Errorf("counts (-got +want):\n%s", diff)
				}
				if ids := idsOf(test.log.all()); len(ids) != 2 {
					t.Errorf("ids %v, want 2", ids)
				}
			})
		})
	}
}

func idsOf(records []schemas.Record) map[schemas.DeliveryID]int {
	ids := make(map[schemas.DeliveryID]int)
	for _, record := range records {
		ids[record.ID]++
	}
	return ids
}

func TestRefusals_NeverBlockARequestOrTheDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &memory{hold: make(chan struct{})} // never takes anything
		var told bytes.Buffer
		edge, err := ingest.New(ingest.Config{Sources: []ingest.Source{githubSource()}}, log, nil, slog.New(slog.NewTextHandler(&told, nil)))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for range 100 {
			if got := serve(edge, forged(t)).Code; got != http.StatusUnauthorized {
				t.Errorf("status = %d, want 401", got)
			}
		}
		if elapsed := time.Since(start); elapsed != 0 {
			t.Errorf("100 refusals waited %s", elapsed)
		}
		for range 2 {
			if err := edge.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if elapsed := time.Since(start); elapsed != 2*time.Second {
			t.Errorf("the drain took %s, want the 2 s that notes get", elapsed)
		}
		if !strings.Contains(told.String(), "refusals not noted") {
			t.Errorf("the log does not say that notes were given up:\n%s", &told)
		}
	})
}

func TestRefusals_ManyAtTheSameTimeAreAllCounted(t *testing.T) {
	t.Parallel()
	log := &memory{}
	edge, _ := newEdge(t, log, nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				serve(edge, forged(t))
			}
		})
	}
	group.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := edge.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, note := range log.notes(t) {
		sum += note.Count
	}
	if sum != 400 {
		t.Errorf("%d refusals noted, want 400", sum)
	}
}
