package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"pawl/migrations"
)

func newMigrate(f *flags) *cobra.Command {
	command := &cobra.Command{
		Use:     "migrate",
		Short:   "Bring the database's schema forward, back, or say where it stands",
		Example: "  PAWL_DATABASE_URL=postgres://… pawl migrate up",
		RunE: func(c *cobra.Command, _ []string) error {
			return &usageError{fmt.Errorf("say up, down or status; see %s --help", c.CommandPath())}
		},
	}
	command.AddCommand(
		&cobra.Command{
			Use: "up", Short: "Apply every migration that is missing", Example: "  pawl migrate up",
			RunE: func(c *cobra.Command, _ []string) error { return f.migrate(c, "applied", migrations.Up) },
		},
		&cobra.Command{
			Use: "down", Short: "Take the newest migration back", Example: "  pawl migrate down",
			RunE: func(c *cobra.Command, _ []string) error { return f.migrate(c, "taken back", migrations.Down) },
		},
		newMigrateStatus(f),
	)
	return command
}

func (f *flags) migrate(command *cobra.Command, done string, step func(context.Context, string) ([]string, error)) error {
	i, err := f.open()
	if err != nil {
		return err
	}
	url, err := i.databaseURL()
	if err != nil {
		return err
	}
	names, err := step(command.Context(), url)
	for _, name := range names {
		fmt.Fprintf(command.OutOrStdout(), "%s %s\n", done, name)
	}
	if err == nil && len(names) == 0 {
		fmt.Fprintln(command.OutOrStdout(), "nothing to do")
	}
	return err
}

func newMigrateStatus(f *flags) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "status", Short: "List the migrations; exit 1 if one is missing", Example: "  pawl migrate status --json",
		RunE: func(c *cobra.Command, _ []string) error {
			i, err := f.open()
			if err != nil {
				return err
			}
			url, err := i.databaseURL()
			if err != nil {
				return err
			}
			list, err := migrations.List(c.Context(), url)
			if err != nil {
				return err
			}
			return printStatus(c, list, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func printStatus(command *cobra.Command, list []migrations.Status, asJSON bool) error {
	out := command.OutOrStdout()
	missing := false
	for _, status := range list {
		missing = missing || !status.Applied
		if !asJSON {
			fmt.Fprintf(out, "%-28s %s\n", status.Name, map[bool]string{true: "applied", false: "missing"}[status.Applied])
		}
	}
	if asJSON {
		if err := json.NewEncoder(out).Encode(list); err != nil {
			return err
		}
	}
	if missing {
		return errNo
	}
	return nil
}
