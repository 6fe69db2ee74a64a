package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"pawl/schemas"
)

func newExplain(f *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "explain KEY",
		Short: "Tell one entity's story: deliveries and verdicts, transitions, decisions, mutations",
		Long: "KEY is an entity key (github.com:101#7) or a name (acme/api#7). Each delivery stands with its verdict and why,\n" +
			"each transition with what changed, each rule with what it decided and on which values, each mutation with how it ended.",
		Example: "  pawl explain acme/api#7\n  pawl explain github.com:101#7 --json",
		Args:    cobra.ExactArgs(1),
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
			told, err := explain(c.Context(), pool, args[0])
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
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// explanation is an entity's whole story.
type explanation struct {
	Key         string          `json:"key"`
	Row         json.RawMessage `json:"row"` // the row of pull_request, or null
	Deliveries  []toldDelivery  `json:"deliveries"`
	Transitions []toldChange    `json:"transitions"`
	Decisions   []toldDecision  `json:"decisions"`
	Mutations   []toldMutation  `json:"mutations"`
}

type toldDelivery struct {
	Partition  int     `json:"partition"`
	Offset     int64   `json:"offset"`
	Source     string  `json:"source"`
	DeliveryID string  `json:"delivery_id"`
	Event      string  `json:"event"`
	Verdict    string  `json:"verdict"`
	Reason     *string `json:"reason"`
	ProviderAt *string `json:"provider_updated_at"`
	ReceivedAt *string `json:"received_at"`
	IDReused   bool    `json:"id_reused"`
}

type toldChange struct {
	ID         string  `json:"id"`
	Offset     int64   `json:"offset"`
	Entity     string  `json:"entity"`
	Kind       string  `json:"kind"`
	From       *string `json:"from"`
	To         *string `json:"to"`
	DeliveryID string  `json:"delivery_id"`
}

type toldDecision struct {
	TransitionID string `json:"transition_id"`
	Rule         string `json:"rule"`
	Outcome      string `json:"outcome"`
	Reason       string `json:"reason"`
	Mode         string `json:"mode"`
	RulesHash    string `json:"rules_hash"`
}

type toldMutation struct {
	ID           int64   `json:"id"`
	TransitionID string  `json:"transition_id"`
	Rule         string  `json:"rule"`
	Kind         string  `json:"kind"`
	Params       string  `json:"params"`
	State        string  `json:"state"`
	Reason       *string `json:"reason"`
	Attempt      int     `json:"attempt"`
	SettledAt    *string `json:"settled_at"`
}

// errUnknownEntity: nothing is known under the key.
var errUnknownEntity = errors.New("nothing is known of it")

// explain reads an entity's story. Key may be a name such as acme/api#7.
func explain(ctx context.Context, pool *pgxpool.Pool, key string) (*explanation, error) {
	key, err := keyOf(ctx, pool, key)
	if err != nil {
		return nil, err
	}
	told := &explanation{Key: key}
	// One snapshot of the database, so that no part is newer than another.
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	if err := pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error { return told.read(ctx, tx) }); err != nil {
		return nil, fmt.Errorf("explain %s: %w", key, err)
	}
	if len(told.Deliveries) == 0 {
		return nil, fmt.Errorf("explain %s: %w: no delivery came under this key", key, errUnknownEntity)
	}
	return told, nil
}

// read fills in what the tables know of the key.
func (e *explanation) read(ctx context.Context, tx pgx.Tx) error {
	err := errors.Join(
		collect(ctx, tx, &e.Deliveries, `
			select log_partition, log_offset, source, delivery_id, event || coalesce('.' || action, ''), verdict, reason,
			       to_char(provider_updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
			       to_char(received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), id_reused
			  from pawl.delivery where entity_key = $1 order by log_offset`, e.Key),
		collect(ctx, tx, &e.Transitions, `
			select id, log_offset, entity_key, kind, from_value, to_value, delivery_id
			  from pawl.transition
			 where entity_key = $1
			    or entity_key in (select entity_key from pawl.comment where parent = $1)`, e.Key),
		collect(ctx, tx, &e.Decisions, `
			select transition_id, rule, outcome, reason, mode, rules_hash
			  from pawl.decision where entity_key = $1 order by decided_at, rule`, e.Key),
		collect(ctx, tx, &e.Mutations, `
			select id, transition_id, rule, kind, params::text, state, reason, attempt,
			       to_char(settled_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
			  from pawl.mutation where entity_key = $1 order by id`, e.Key),
	)
	if err != nil {
		return err
	}
	kinds := schemas.Kinds()
	slices.SortFunc(e.Transitions, func(a, b toldChange) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset),
			cmp.Compare(slices.Index(kinds, schemas.Kind(a.Kind)), slices.Index(kinds, schemas.Kind(b.Kind))),
			cmp.Compare(a.Entity, b.Entity))
	})
	err = tx.QueryRow(ctx, `select to_json(p) from pawl.pull_request p where entity_key = $1`, e.Key).Scan(&e.Row)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// keyOf turns a name into a key; the newest row of that name counts.
func keyOf(ctx context.Context, pool *pgxpool.Pool, text string) (string, error) {
	repository, number, isName := strings.Cut(text, "#")
	n, err := strconv.ParseInt(number, 10, 64)
	if strings.Contains(text, ":") || !isName {
		if _, err := schemas.ParseKey(schemas.EntityKey(text)); err != nil {
			return "", &usageError{fmt.Errorf("%w; or give a name such as acme/api#7", err)}
		}
		return text, nil
	}
	if err != nil {
		return "", &usageError{fmt.Errorf("%q is no name: the number after # must be a whole number", text)}
	}
	var key string
	err = pool.QueryRow(ctx, `
		select entity_key from pawl.pull_request where repository = $1 and number = $2
		 order by folded_at desc limit 1`, repository, n).Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("explain %s: %w: no pull request has this name; a renamed repository is known by its newest name", text, errUnknownEntity)
	}
	return key, err
}

func collect[T any](ctx context.Context, tx pgx.Tx, into *[]T, sql, key string) error {
	rows, err := tx.Query(ctx, sql, key)
	if err != nil {
		return err
	}
	*into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	return err
}

// print tells the story in the order of the log: under each delivery what it
// changed, under each change what was decided, under each decision what was
// done.
func (e *explanation) print(out io.Writer, c palette) {
	fmt.Fprintf(out, "%s\n", c.bold(e.heading()))
	for _, delivery := range e.Deliveries {
		fmt.Fprintf(out, "%s %s %s  %s%s\n", c.dim(fmt.Sprintf("%d/%d", delivery.Partition, delivery.Offset)),
			c.verdict(delivery.Verdict), delivery.Event, delivery.DeliveryID, c.dim(because(delivery.Reason)))
		for _, change := range e.Transitions {
			if change.DeliveryID == delivery.DeliveryID && change.Offset == delivery.Offset {
				e.printChange(out, c, change)
			}
		}
	}
}

func (e *explanation) printChange(out io.Writer, c palette, change toldChange) {
	about := ""
	if change.Entity != e.Key {
		about = " of " + change.Entity
	}
	fmt.Fprintf(out, "      → %s%s  %s → %s\n", c.bold(change.Kind), about, short(change.From), short(change.To))
	for _, decision := range e.Decisions {
		if decision.TransitionID != change.ID {
			continue
		}
		fmt.Fprintf(out, "          %s: %s%s\n", decision.Rule, decision.Outcome, c.dim(because(&decision.Reason)))
		for _, mutation := range e.Mutations {
			if mutation.TransitionID == change.ID && mutation.Rule == decision.Rule {
				fmt.Fprintf(out, "            %s %s%s\n", mutation.Kind, c.state(mutation.State), c.dim(because(mutation.Reason)))
			}
		}
	}
}

func (e *explanation) heading() string {
	var row schemas.PullRequest
	if json.Unmarshal(e.Row, &row) != nil || row.EntityKey == "" {
		return e.Key
	}
	text := fmt.Sprintf("%s#%d  %s  %s", row.Repository, row.Number, row.State, e.Key)
	if row.NeedsRead {
		text += "  needs a read: " + row.NeedsReadReason
	}
	return text
}

func because(reason *string) string {
	if reason == nil || *reason == "" {
		return ""
	}
	return "  " + *reason
}

func short(value *string) string {
	if value == nil {
		return "nothing"
	}
	text := []rune(*value)
	if len(text) > 60 {
		return string(text[:57]) + "..."
	}
	return string(text)
}
