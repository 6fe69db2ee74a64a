package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"pawl/actuator/rules"
	"pawl/internal/config"
	"pawl/internal/provider"
	"pawl/schemas"
)

func newExplain(f *flags) *cobra.Command {
	var asJSON bool
	var rule string
	command := &cobra.Command{
		Use:   "explain KEY",
		Short: "Tell one entity's story: deliveries and verdicts, transitions, decisions, mutations",
		Long: "KEY is an entity key or a name:\n" +
			"  github.com:101#7        acme/api#7        a pull request\n" +
			"  github.com:101@6dcb09b  acme/api@6dcb09b  a commit: its checks, and the pull requests whose head it is\n" +
			"  github.com:101          acme/api          a repository\n" +
			"  github.com              github            an instance; or a source, and what it refused\n" +
			"  statuspage.io:pg1/c1                      a component of a status page; statuspage.io:pg1!i1 is an incident\n" +
			"  linear.app:comment/2f2c1a                 a comment, and what was decided on it\n" +
			"Each delivery stands with its verdict and why, each transition with what changed, each rule with what it decided\n" +
			"and on which values, each mutation with how it ended: what was seen at the provider, sent and answered.\n" +
			"With --rule: why a rule of the configuration has not acted on a pull request right now, or has.",
		Example: "  pawl explain acme/api#7\n  pawl explain acme/api#7 --rule merge-when-green\n" +
			"  pawl explain github.com:101#7 --json\n  pawl explain acme/api@6dcb09b",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			i, err := f.open()
			if err != nil {
				return err
			}
			defer i.close()
			pool, err := i.pool(c.Context(), 2, nil)
			if err != nil {
				return err
			}
			find := finder{pool, instancesOf(i.config.Sources)}
			told, err := tellOf(c.Context(), find, args[0], rule, i.config.RuleSet())
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(told)
			}
			told.print(c.OutOrStdout(), paint(colourful(c.OutOrStdout())))
			return nil
		},
	}
	command.Flags().StringVar(&rule, "rule", "", "tell why this rule has not acted, or has")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// teller is an answer, for people and as JSON.
type teller interface{ print(io.Writer, palette) }

// tellOf answers about an entity, or about one rule and a pull request.
func tellOf(ctx context.Context, find finder, text, rule string, set *rules.Set) (teller, error) {
	if rule == "" {
		return explain(ctx, find, text)
	}
	return explainRule(ctx, find, text, rule, set)
}

// instancesOf returns the instance of each source.
func instancesOf(sources []config.Source) map[string]string {
	instances := make(map[string]string, len(sources))
	for _, source := range sources {
		instances[source.Name] = source.Instance
		if of, known := provider.ByName(source.Provider); known {
			instances[source.Name] = cmp.Or(source.Instance, of.DefaultInstance())
		}
	}
	return instances
}

// explanation is an entity's whole story.
type explanation struct {
	subject
	standing
	Deliveries  []toldDelivery `json:"deliveries"`
	Transitions []toldChange   `json:"transitions"`
	Decisions   []toldDecision `json:"decisions"`
	Mutations   []toldMutation `json:"mutations"`
}

// errUnknownEntity: nothing is known under the key.
var errUnknownEntity = errors.New("nothing is known of it")

// explain reads the story of what a key or a name means.
func explain(ctx context.Context, find finder, text string) (*explanation, error) {
	asked, err := find.subject(ctx, text)
	if err != nil {
		return nil, err
	}
	told := &explanation{subject: asked}
	// One snapshot of the database, so that no part is newer than another.
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	if err := pgx.BeginTxFunc(ctx, find.pool, snapshot, func(tx pgx.Tx) error { return told.read(ctx, tx) }); err != nil {
		return nil, fmt.Errorf("explain %s: %w", asked.Key, err)
	}
	if told.isEmpty() {
		return nil, fmt.Errorf("explain %s: %w: no delivery came under this key", asked.Key, errUnknownEntity)
	}
	return told, nil
}

// isEmpty reports whether the key may as well be a slip. A source is known from
// the configuration.
func (e *explanation) isEmpty() bool {
	_, isRepository := e.repository()
	return e.Source == "" && len(e.Deliveries) == 0 && len(e.PullRequests) == 0 &&
		e.Row == nil && e.Commit == nil && !isRepository && string(e.Counts) == "{}" &&
		e.Component == nil && e.Incident == nil && e.Comment == nil
}

// repository returns the repository if the explanation is of one.
func (e *explanation) repository() (schemas.Repository, bool) {
	repository, known := read[schemas.Repository](e.Repository)
	return repository, known && string(repository.EntityKey) == e.Key
}

// finder finds what people mean.
type finder struct {
	pool    *pgxpool.Pool
	sources map[string]string // the instance of each configured source
}
