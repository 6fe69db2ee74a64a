package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

// lagRow is one partition of pawl.consumer_lag.
type lagRow struct {
	Topic         string     `json:"topic"`
	Partition     int        `json:"partition"`
	Checkpoint    int64      `json:"checkpoint"`
	LogEnd        int64      `json:"log_end"`
	LagRecords    int64      `json:"lag_records"`
	LastEventAt   *time.Time `json:"last_event_at"`
	Owner         string     `json:"owner"`
	StoppedReason *string    `json:"stopped_reason"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// lagReport is what pawl lag prints.
type lagReport struct {
	Partitions    []lagRow `json:"partitions"`
	OutboxPending int64    `json:"outbox_pending"`
	DeadLetters   int64    `json:"dead_letters"`
}

func newLag(f *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:     "lag",
		Short:   "Show how far the projector is behind the log; exit 1 if a partition is stopped",
		Long:    "As of each partition's last fetch. The committed offset that Kafka shows is a hint; this is the checkpoint.",
		Example: "  pawl lag --json",
		RunE: func(c *cobra.Command, _ []string) error {
			i, err := f.open()
			if err != nil {
				return err
			}
			defer i.close()
			pool, err := i.pool(c.Context(), 2, nil)
			if err != nil {
				return err
			}
			rows, err := pool.Query(c.Context(), `
				select topic, log_partition, checkpoint, log_end, lag_records, last_event_at, owner, stopped_reason, updated_at
				  from pawl.consumer_lag order by topic, log_partition`)
			if err != nil {
				return fmt.Errorf("read lag: %w", err)
			}
			var report lagReport
			if report.Partitions, err = pgx.CollectRows(rows, pgx.RowToStructByPos[lagRow]); err != nil {
				return fmt.Errorf("read lag: %w", err)
			}
			err = pool.QueryRow(c.Context(), `select (select count(*) from pawl.outbox), (select count(*) from pawl.dead_letter where resolved_at is null)`).
				Scan(&report.OutboxPending, &report.DeadLetters)
			if err != nil {
				return fmt.Errorf("read lag: %w", err)
			}
			return report.print(c, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func (r lagReport) print(command *cobra.Command, asJSON bool) error {
	out := command.OutOrStdout()
	if asJSON {
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
		return r.verdict()
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TOPIC\tPARTITION\tCHECKPOINT\tLOG END\tLAG\tOWNER\tSTOPPED")
	for _, row := range r.Partitions {
		stopped := ""
		if row.StoppedReason != nil {
			stopped = *row.StoppedReason
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", row.Topic, row.Partition, row.Checkpoint, row.LogEnd, row.LagRecords, row.Owner, stopped)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "outbox %d, dead letters %d\n", r.OutboxPending, r.DeadLetters)
	return r.verdict()
}

func (r lagReport) verdict() error {
	for _, row := range r.Partitions {
		if row.StoppedReason != nil {
			return errNo
		}
	}
	return nil
}
