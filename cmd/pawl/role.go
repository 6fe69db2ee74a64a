package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// addPrintConfig adds --print-config, and returns whether it was asked for.
func addPrintConfig(command *cobra.Command, f *flags) {
	command.Flags().BoolVar(&f.printConfig, "print-config", false, "print the effective configuration, secrets masked, and end")
}

// printed prints the configuration if that was asked for.
func (f *flags) printed(command *cobra.Command, i *installation) (bool, error) {
	if !f.printConfig {
		return false, nil
	}
	text, err := i.config.Print()
	if err != nil {
		return true, err
	}
	_, err = command.OutOrStdout().Write(text)
	return true, err
}

// runRole runs one role with its operations port, until it is told to stop.
func (f *flags) runRole(command *cobra.Command, build func(context.Context, *installation) ([]part, error)) error {
	ctx := command.Context()
	i, err := f.open()
	if err != nil {
		return err
	}
	if done, err := f.printed(command, i); done {
		return err
	}
	defer i.close()
	if err := i.connect(ctx); err != nil {
		return err
	}
	parts, err := build(ctx, i)
	if err != nil {
		return err
	}
	watch, err := listen(ctx, i.config.Listen.Operations, operations(i.ready, i.registry), i.log)
	if err != nil {
		return err
	}
	i.log.InfoContext(ctx, "running", "kind", command.Name(), "operations", watch.url())
	return runStages(ctx, parts, []part{{"operations", watch.run}})
}

func newIngest(f *flags) *cobra.Command {
	command := &cobra.Command{
		Use:     "ingest",
		Short:   "Take deliveries over HTTP and append them to the log",
		Example: "  PAWL_KAFKA_BROKERS=kafka:9092 pawl ingest --config pawl.yaml",
		RunE: func(c *cobra.Command, _ []string) error {
			return f.runRole(c, func(ctx context.Context, i *installation) ([]part, error) {
				web, intake, err := i.ingest(ctx)
				if err != nil {
					return nil, err
				}
				i.log.InfoContext(ctx, "webhooks", "url", web.url()+"/webhooks/")
				return []part{intake}, nil
			})
		},
	}
	addPrintConfig(command, f)
	return command
}

func newProjector(f *flags) *cobra.Command {
	command := &cobra.Command{
		Use:     "projector",
		Short:   "Fold the log into the tables, and relay transitions",
		Example: "  PAWL_KAFKA_BROKERS=kafka:9092 PAWL_DATABASE_URL=postgres://… pawl projector",
		RunE: func(c *cobra.Command, _ []string) error {
			return f.runRole(c, func(ctx context.Context, i *installation) ([]part, error) { return i.projector(ctx) })
		},
	}
	addPrintConfig(command, f)
	return command
}

func newActuator(f *flags) *cobra.Command {
	command := &cobra.Command{
		Use:     "actuator",
		Short:   "Decide on transitions by the rules, and act",
		Example: "  PAWL_KAFKA_BROKERS=kafka:9092 PAWL_DATABASE_URL=postgres://… pawl actuator --config pawl.yaml",
		RunE: func(c *cobra.Command, _ []string) error {
			return f.runRole(c, func(ctx context.Context, i *installation) ([]part, error) { return i.actuator(ctx) })
		},
	}
	addPrintConfig(command, f)
	return command
}

// started is one line that a person sees when something runs.
func started(command *cobra.Command, format string, args ...any) {
	fmt.Fprintf(command.OutOrStdout(), format+"\n", args...)
}
