package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/spf13/cobra"

	"pawl/internal/deadletters"
	"pawl/schemas"
)

func newDeadLetters(f *flags) *cobra.Command {
	command := &cobra.Command{
		Use:   "dead-letters",
		Short: "List what was set aside, try it again, or drop it",
		Long: "Records that could not be folded, transitions that could not be read, and mutations that could not be done.\n" +
			"Nothing leaves the table: what was retried or dropped is marked, and no longer counted.",
		Example: "  pawl dead-letters list\n  pawl dead-letters retry 17\n  pawl dead-letters drop 17 18",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(newDeadLettersList(f), newDeadLettersShow(f),
		newDeadLettersResolve(f, "retry", "Try dead letters again: append the record, or make the mutation pending", (*deadletters.Box).Retry),
		newDeadLettersResolve(f, "drop", "Give dead letters up", (*deadletters.Box).Drop))
	return command
}

func newDeadLettersList(f *flags) *cobra.Command {
	var asJSON bool
	var filter deadletters.Filter
	var entity string
	command := &cobra.Command{
		Use:     "list",
		Short:   "List dead letters, the newest first; exit 1 if there are any that wait",
		Example: "  pawl dead-letters list --entity github.com:101#7 --json",
		RunE: func(c *cobra.Command, _ []string) error {
			filter.Entity = schemas.EntityKey(entity)
			letters, err := withBox(f, c, func(box *deadletters.Box) ([]deadletters.Letter, error) {
				return box.List(c.Context(), filter)
			})
			if err != nil {
				return err
			}
			return tellLetters(c, letters, asJSON)
		},
	}
	command.Flags().StringVar(&entity, "entity", "", "only those of one entity key")
	command.Flags().StringVar(&filter.Stage, "stage", "", "only those of projector or actuator")
	command.Flags().BoolVar(&filter.Resolved, "all", false, "also those that were retried or dropped")
	command.Flags().IntVar(&filter.Limit, "limit", 100, "how many at the most")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func tellLetters(c *cobra.Command, letters []deadletters.Letter, asJSON bool) error {
	out := c.OutOrStdout()
	waiting := 0
	for _, letter := range letters {
		if letter.ResolvedAt == nil {
			waiting++
		}
	}
	if asJSON {
		if letters == nil {
			letters = []deadletters.Letter{}
		}
		if err := json.NewEncoder(out).Encode(letters); err != nil {
			return err
		}
	} else {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tWHEN\tSTAGE\tENTITY\tWHAT\tREASON")
		for _, letter := range letters {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", letter.ID, letter.CreatedAt.UTC().Format(time.RFC3339), letter.Stage,
				letter.Entity, whatOf(letter), firstLine(letter.Reason))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if waiting > 0 {
		return errNo
	}
	return nil
}

// whatOf names what was set aside.
func whatOf(letter deadletters.Letter) string {
	switch {
	case letter.MutationID != nil && letter.Rule != nil:
		return fmt.Sprintf("mutation %d, %s: %s", *letter.MutationID, *letter.Rule, *letter.Kind)
	case letter.MutationID != nil:
		return fmt.Sprintf("mutation %d", *letter.MutationID)
	case letter.Topic != nil && letter.Partition != nil && letter.Offset != nil:
		return fmt.Sprintf("%s/%d@%d", *letter.Topic, *letter.Partition, *letter.Offset)
	}
	return "record"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func newDeadLettersShow(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show one dead letter: the reason, what was seen, what was sent and answered",
		Long:    "As JSON. The record's value is a payload and is not shown; it stands in pawl.dead_letter.value.",
		Example: "  pawl dead-letters show 17",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := letterID(args[0])
			if err != nil {
				return err
			}
			letters, err := withBox(f, c, func(box *deadletters.Box) ([]deadletters.Letter, error) {
				return box.List(c.Context(), deadletters.Filter{ID: id, Resolved: true})
			})
			if err != nil {
				return err
			}
			if len(letters) == 0 {
				return fmt.Errorf("there is no dead letter %d; pawl dead-letters list --all names them", id)
			}
			encoder := json.NewEncoder(c.OutOrStdout())
			encoder.SetIndent("", "  ")
			return encoder.Encode(letters[0])
		},
	}
}

func newDeadLettersResolve(f *flags, name, short string, resolve func(*deadletters.Box, context.Context, int64) error) *cobra.Command {
	return &cobra.Command{
		Use:     name + " ID…",
		Short:   short,
		Example: fmt.Sprintf("  pawl dead-letters %s 17", name),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var ids []int64
			for _, arg := range args {
				id, err := letterID(arg)
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			_, err := withBox(f, c, func(box *deadletters.Box) (struct{}, error) {
				var faults []error
				for _, id := range ids {
					if err := resolve(box, c.Context(), id); err != nil {
						faults = append(faults, err)
						continue
					}
					fmt.Fprintf(c.OutOrStdout(), "%s %d\n", name, id)
				}
				return struct{}{}, errors.Join(faults...)
			})
			return err
		},
	}
}

func letterID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return 0, &usageError{fmt.Errorf("%q is no id of a dead letter; pawl dead-letters list names them", text)}
	}
	return id, nil
}

// withBox runs with the box of dead letters of an installation. The brokers are
// reached when a record is to be appended, and not before.
func withBox[T any](f *flags, c *cobra.Command, do func(*deadletters.Box) (T, error)) (T, error) {
	var none T
	i, err := f.open()
	if err != nil {
		return none, err
	}
	defer i.close()
	pool, err := i.pool(c.Context(), 2, nil)
	if err != nil {
		return none, err
	}
	return do(deadletters.New(pool, i.appendRaw))
}

// appendRaw appends a record as it stood in the log, under the key's partition.
func (i *installation) appendRaw(ctx context.Context, topic string, key []byte, headers []schemas.Header, value []byte) error {
	if i.cluster == nil {
		if err := i.connect(ctx); err != nil {
			return err
		}
	}
	writer := &kafka.Writer{
		Addr: i.cluster.Client.Addr, Transport: i.cluster.Client.Transport, Topic: topic, RequiredAcks: kafka.RequireAll,
		Balancer: kafka.Murmur2Balancer{Consistent: true}, BatchSize: 1, BatchBytes: schemas.MaxRecord, Compression: kafka.Zstd,
	}
	message := kafka.Message{Key: key, Value: value}
	for _, header := range headers {
		message.Headers = append(message.Headers, kafka.Header{Key: header.Name, Value: []byte(header.Value)})
	}
	return errors.Join(writer.WriteMessages(ctx, message), writer.Close())
}
