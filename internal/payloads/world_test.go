package payloads_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"pawl/ingest"
	"pawl/internal/kafkatest"
	"pawl/internal/links"
	"pawl/internal/payloads"
	"pawl/internal/pgtest"
	"pawl/internal/provider"
	"pawl/internal/sign"
	"pawl/projector"
	"pawl/schemas"
)

// folder is where the payloads lie, seen from this package.
const folder = "../../../shared/payloads"

// read returns the payloads that are sent, and the names of the others.
func read(t *testing.T) (sent []payloads.Sample, unsent []string) {
	t.Helper()
	if _, err := os.Stat(folder); err != nil && *update {
		t.Fatalf("docs/payloads.md is made from the real payloads, and they are not at hand: %v", err)
	} else if err != nil {
		t.Skipf("needs the real payloads, which lie beside the project in shared/payloads: %v", err)
	}
	samples, err := payloads.Read(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		if sample.IsSent() {
			sent = append(sent, sample)
		} else {
			unsent = append(unsent, sample.Name)
		}
	}
	return sent, unsent
}

// world is an edge, a log, a projector and a database.
type world struct {
	t       *testing.T
	broker  *kafkatest.Broker
	pool    *pgxpool.Pool
	edge    *httptest.Server
	samples []payloads.Sample
	sources map[string]string // of each sample, by name; the instance has the same name
	secrets map[payloads.Forge]string
	proofs  []string          // signatures and tokens that were sent
	names   map[string]string // of samples whose provider makes the delivery's id, by source and id
	posted  int
}

// newWorld starts a world for samples, each with the source that place gives it.
func newWorld(t *testing.T, samples []payloads.Sample, secrets map[payloads.Forge]string, place func(payloads.Sample) string) *world {
	t.Helper()
	w := &world{t: t, broker: kafkatest.Start(t), pool: pgtest.NewPool(t), samples: samples, secrets: secrets, sources: make(map[string]string), names: make(map[string]string)}
	forges := make(map[string]payloads.Forge)
	for _, sample := range samples {
		w.sources[sample.Name] = place(sample)
		forges[w.sources[sample.Name]] = sample.Forge()
	}
	w.startEdge(forges)
	w.startProjector(forges)
	return w
}

func (w *world) startEdge(forges map[string]payloads.Forge) {
	w.t.Helper()
	var config ingest.Config
	for name, forge := range forges {
		config.Sources = append(config.Sources, ingest.Source{
			Name: name, Provider: forge.Provider(), Instance: name,
			Secrets: []ingest.Secret{{Value: []byte(w.secrets[forge])}},
		})
	}
	appender := ingest.NewKafkaAppender(w.broker.Client(), w.broker.Topics().Deliveries, ingest.AppenderConfig{})
	w.t.Cleanup(func() { _ = appender.Close(context.Background()) })
	edge, err := ingest.New(config, appender, nil, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.edge = httptest.NewServer(edge)
	w.t.Cleanup(w.edge.Close)
}

// startProjector starts a projector that finds links as if each instance had its
// forge's real host: addresses in the texts name that one.
func (w *world) startProjector(forges map[string]payloads.Forge) {
	w.t.Helper()
	find := func(source, provider string, row *schemas.PullRequest) []schemas.Link {
		there := *row
		there.Instance = forges[source].Host()
		return links.Finder{}.Of(source, provider, &there)
	}
	folds := projector.New(projector.Config{
		Brokers: w.broker.Addrs(), Topic: w.broker.Topics().Deliveries, Group: "pawl.projector", Owner: "one", Links: find,
	}, w.pool, w.broker.Client(), provider.Decode, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan error, 1)
	go func() { done <- folds.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("projector: %v", err)
		}
	})
}

// send posts samples in their order, each under an id of its own, which is the
// same each time, and waits until each has its verdict.
func (w *world) send(samples []payloads.Sample) {
	w.t.Helper()
	for _, sample := range samples {
		w.post(sample)
	}
	deadline := time.Now().Add(2 * time.Minute)
	for folded := 0; folded < w.posted; time.Sleep(20 * time.Millisecond) {
		if err := w.pool.QueryRow(w.t.Context(), `select count(*) from pawl.delivery`).Scan(&folded); err != nil {
			w.t.Fatal(err)
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%d of %d deliveries have a verdict", folded, w.posted)
		}
	}
}

// idOf is the delivery id of a sample. Its name has no blanks.
func idOf(sample payloads.Sample) string { return sample.Name }

func (w *world) post(sample payloads.Sample) {
	w.t.Helper()
	source := w.sources[sample.Name]
	delivery, err := sample.Delivery(idOf(sample), source)
	if err != nil {
		w.t.Fatal(err)
	}
	delivery.ReceivedAt = time.Now()
	forge := sample.Forge()
	if err := sign.Sign(forge.Provider(), delivery, []byte(w.secrets[forge])); err != nil {
		w.t.Fatalf("sign %s: %v", sample.Name, err)
	}
	w.noteProofs(delivery.Header)
	w.noteName(sample, source, delivery)
	address := w.edge.URL + "/webhooks/" + source
	if token := sign.Token(forge.Provider(), []byte(w.secrets[forge])); token != "" {
		address += "/" + token
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, address, bytes.NewReader(sample.Body))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header = delivery.Header
	response, err := w.edge.Client().Do(request)
	if err != nil {
		w.t.Fatalf("post %s: %v", sample.Name, err) // a panic of the edge ends the connection
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	of, _ := provider.ByName(forge.Provider())
	if response.StatusCode != of.SuccessStatus() {
		w.t.Fatalf("%s is answered %d %s, want %d", sample.Name, response.StatusCode, answer, of.SuccessStatus())
	}
	w.posted++
}

// noteName keeps which sample a delivery is of whose id is made of its body.
func (w *world) noteName(sample payloads.Sample, source string, delivery provider.Delivery) {
	w.t.Helper()
	of, _ := provider.ByName(sample.Forge().Provider())
	record, err := of.Seal(delivery)
	if err != nil {
		w.t.Fatalf("seal %s: %v", sample.Name, err)
	}
	w.names[source+" "+string(record.ID)] = sample.Name
}

// nameOf returns the name of the sample of a delivery.
func (w *world) nameOf(source, id string) string { return w.names[source+" "+id] }

// noteProofs keeps what must not be found again.
func (w *world) noteProofs(header http.Header) {
	for _, name := range []string{"X-Hub-Signature-256", "X-Hub-Signature", "X-Gitea-Signature", "X-Gitlab-Token", "Webhook-Signature", "Linear-Signature"} {
		if value := header.Get(name); value != "" {
			w.proofs = append(w.proofs, strings.TrimPrefix(strings.TrimPrefix(value, "sha256="), "v1,"))
		}
	}
}
