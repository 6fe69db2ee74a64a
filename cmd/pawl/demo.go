package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"pawl/internal/config"
	"pawl/internal/fakegithub"
	"pawl/internal/provider/github"
	"pawl/internal/provider/webhook"
	"pawl/internal/sign"
)

// demoRules are the rules of the demo: a merge that a label asks for, and a
// word on every merge.
const demoRules = `
rules:
  - name: merge-on-label
    on: [opened, labels_changed, reopened]
    when: pr.state == "open" && "automerge" in pr.labels
    once: head
    mutate: {merge: {method: squash}}
  - name: say-merged
    on: [merged]
    include_own: true
    mutate: {comment: {body: "Merged as {{pr.merge_commit_sha}}"}}
`

const (
	demoSecret = "only for the demo"
	demoToken  = "demo-token"
	demoLogin  = "pawl[bot]"
	// demoWithin bounds the demo.
	demoWithin = 60 * time.Second
)

func newDemo(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on embedded parts: shuffled and doubled deliveries in, the right state and acts out",
		Long: "Starts Kafka, PostgreSQL and a fake GitHub on this machine, lets a few pull requests live there, sends their\n" +
			"deliveries shuffled and doubled through the real edge, and shows what a last-write-wins handler would have\n" +
			"ended with and what Pawl did. Exits 0 only if Pawl's tables and acts are right.",
		Example: "  pawl demo",
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeoutCause(c.Context(), demoWithin, errors.New("the demo took too long"))
			defer cancel()
			return runDemo(ctx, c.OutOrStdout(), f.logLevel)
		},
	}
}

func runDemo(ctx context.Context, out io.Writer, logLevel string) error {
	dir, err := os.MkdirTemp("", "pawl-demo")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the database's user must enter it
		return fmt.Errorf("demo: %w", err)
	}
	d := &demo{hooks: make(chan fakegithub.Webhook, 1000)}
	d.github = fakegithub.New(fakegithub.Config{
		Token: demoToken, Login: demoLogin, Webhook: func(hook fakegithub.Webhook) { d.hooks <- hook },
	})
	d.live()
	log := slog.New(slog.DiscardHandler)
	if logLevel != "" {
		if log, err = newLog(config.Log{Level: logLevel, Format: "auto"}, os.Stderr); err != nil {
			return err
		}
	}
	return d.run(ctx, out, dir, log)
}

// demo is one run of the demo.
type demo struct {
	github  *fakegithub.Server
	hooks   chan fakegithub.Webhook
	lived   []fakegithub.Webhook // what happened, in order
	arrived []fakegithub.Webhook // how it arrives
	url     string
	posted  int
}

// run starts everything, sends the deliveries, waits until all is settled,
// prints, and checks.
func (d *demo) run(ctx context.Context, out io.Writer, dir string, log *slog.Logger) error {
	provider, err := listen(ctx, "127.0.0.1:0", d.github, log)
	if err != nil {
		return err
	}
	loaded, err := demoConfig(dir, provider.url())
	if err != nil {
		return err
	}
	i := newInstallation(loaded, log)
	defer i.close()
	if err := i.embed(ctx); err != nil {
		return err
	}
	running, err := i.everything(ctx)
	if err != nil {
		return err
	}
	d.url = running.webhooks.url()
	pool, err := i.pool(ctx, 2, nil)
	if err != nil {
		return err
	}
	work := part{"demo", func(ctx context.Context) error {
		if err := d.deliver(ctx, pool); err != nil {
			return err
		}
		return d.conclude(ctx, out, pool)
	}}
	stages := append([][]part{{work}}, running.stages...)
	err = runStages(ctx, append(stages, []part{{"fake github", provider.run}})...)
	if errors.Is(err, errDemoDone) {
		return nil
	}
	return err
}

// errDemoDone ends the demo's stages in order.
var errDemoDone = errors.New("the demo is done")

// demoConfig is a configuration with the demo's parts. Its secrets stand in it:
// they guard nothing.
func demoConfig(dir, github string) (*config.Config, error) {
	loaded, err := config.Parse("demo", []byte(demoRules), func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	loaded.DataDir = dir
	loaded.Listen = config.Listen{Webhooks: "127.0.0.1:0", Operations: "127.0.0.1:0"}
	loaded.Sources = []config.Source{{Name: "github", Provider: "github", Secrets: []config.Secret{demoSecret}}}
	loaded.Providers = map[string]config.Provider{"github.com": {Token: demoToken, BaseURL: github + "/", Login: demoLogin}}
	return loaded, nil
}

// deliver sends the deliveries as they arrive, all at about the same moment, and
// then whatever the provider tells of Pawl's own acts; it returns when nothing is
// left to do.
func (d *demo) deliver(ctx context.Context, pool *pgxpool.Pool) error {
	for _, hook := range d.arrived {
		if err := d.post(ctx, hook); err != nil {
			return err
		}
	}
	quietSince := time.Now()
	for time.Since(quietSince) < 400*time.Millisecond {
		select {
		case hook := <-d.hooks:
			if err := d.post(ctx, hook); err != nil {
				return err
			}
			quietSince = time.Now()
		case <-time.After(20 * time.Millisecond):
			settled, err := d.settled(ctx, pool)
			if err != nil {
				return err
			}
			if !settled {
				quietSince = time.Now()
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// settled reports whether every posted delivery has a verdict, every transition
// is decided on, and no mutation is open.
func (d *demo) settled(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	var folded, open int
	err := pool.QueryRow(ctx, `
		select (select count(*) from pawl.delivery),
		       (select count(*) from pawl.outbox)
		       + (select count(*) from pawl.mutation where state in ('pending', 'claimed'))
		       + (select count(*) from pawl.transition t
		           where t.kind in ('opened', 'labels_changed', 'merged', 'reopened')
		             and not exists (select from pawl.decision d where d.transition_id = t.id))`).Scan(&folded, &open)
	if err != nil {
		return false, fmt.Errorf("demo: %w", err)
	}
	return folded == d.posted && open == 0, nil
}

// post sends one delivery, signed.
func (d *demo) post(ctx context.Context, hook fakegithub.Webhook) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/webhooks/github", bytes.NewReader(hook.Body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if err := sign.Name(github.Name, request.Header, hook.Event, hook.ID); err != nil {
		return err
	}
	if err := sign.Sign(github.Name, webhook.Delivery{Header: request.Header, Raw: hook.Body}, []byte(demoSecret)); err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("demo: post %s: %w", hook.ID, err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		answer, _ := io.ReadAll(io.LimitReader(response.Body, 1<<12))
		return fmt.Errorf("demo: post %s: %s: %s", hook.ID, response.Status, answer)
	}
	d.posted++
	return nil
}
