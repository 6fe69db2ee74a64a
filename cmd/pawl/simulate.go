package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"pawl/actuator/rules"
	"pawl/internal/plan"
	"pawl/internal/simulate"
)

func newSimulate(f *flags) *cobra.Command {
	var newFile, oldFile, since string
	var asJSON bool
	command := &cobra.Command{
		Use:   "simulate --rules FILE",
		Short: "Tell what changed rules would have done with what is recorded; nothing is written, nobody is called",
		Long: "Decides with the rules of a file on the recorded transitions, and compares with what was really done, or with\n" +
			"what other rules would have done:\n" +
			"  =  the same    ~  with other parameters    +  the new rules alone    -  done, and the new rules would not\n" +
			"All delays run out at the end. What a provider would have refused is not known.",
		Example: "  pawl simulate --rules new.yaml --since 168h\n  pawl simulate --rules new.yaml --against pawl.yaml --since 2026-01-01T00:00:00Z --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			from, err := parseSince(since, time.Now())
			if err != nil {
				return err
			}
			if newFile == "" {
				return &usageError{fmt.Errorf("--rules FILE is needed: the rules to try; see %s --help", c.CommandPath())}
			}
			options := simulate.Options{Since: from}
			if options.New, err = readRules(newFile); err != nil {
				return err
			}
			if oldFile != "" {
				if options.Old, err = readRules(oldFile); err != nil {
					return err
				}
			}
			report, err := runSimulation(f, c, options)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(report)
			}
			return printSimulation(c.OutOrStdout(), report, newFile, oldFile)
		},
	}
	command.Flags().StringVar(&newFile, "rules", "", "the rules to try: a pawl.yaml, or one with rules alone")
	command.Flags().StringVar(&oldFile, "against", "", "compare with these rules, not with what was really done")
	command.Flags().StringVar(&since, "since", "", "how far back, or from when: 24h, or a time (RFC 3339); without it all that is recorded")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// parseSince reads a time, or how long it is ago. Zero is always.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, &usageError{fmt.Errorf("--since %q, want how long ago, such as 24h, or a time, such as 2026-01-31T00:00:00Z", text)}
	}
	return at, nil
}

func readRules(file string) (*rules.Set, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, &usageError{fmt.Errorf("read rules: %w", err)}
	}
	set, err := rules.Parse(file, data)
	if err != nil {
		return nil, &usageError{err}
	}
	return set, nil
}

// runSimulation runs against the configured database. Our own logins, as far as
// they are configured, are known to all rules: the file may be rules alone.
func runSimulation(f *flags, c *cobra.Command, options simulate.Options) (*simulate.Report, error) {
	i, err := f.open()
	if err != nil {
		return nil, err
	}
	defer i.close()
	for instance, settings := range i.config.Providers {
		options.New.SetOwn(instance, settings.Login)
		if options.Old != nil {
			options.Old.SetOwn(instance, settings.Login)
		}
	}
	pool, err := i.pool(c.Context(), 2, nil)
	if err != nil {
		return nil, err
	}
	return simulate.Run(c.Context(), pool, options)
}

func printSimulation(out io.Writer, report *simulate.Report, newFile, oldFile string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(report.Mutations) > 0 {
		fmt.Fprintln(table, "\tENTITY\tRULE\tKIND\tWITH\tBECAUSE OF\tNOTE")
	}
	for _, line := range report.Mutations {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", line.Sign, cmp.Or(line.Origin().Name, string(line.Entity)),
			line.Rule, line.Kind, paramsText(line), becauseText(line.Origin()), note(line))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(report.Errors) > 0 {
		fmt.Fprintf(out, "%d decisions end in an error\n", len(report.Errors)+report.MoreErrors)
	}
	for _, d := range report.Errors[:min(len(report.Errors), maxListed)] {
		fmt.Fprintf(out, "!  %s  %s  %s  %s\n", cmp.Or(d.Origin.Name, string(d.Entity)), d.Rule, becauseText(d.Origin), oneLine(d.Reason, noteWidth))
	}
	if hidden := len(report.Errors) + report.MoreErrors - maxListed; hidden > 0 {
		fmt.Fprintf(out, "!  and %d more\n", hidden)
	}
	fmt.Fprintf(out, "%d transitions%s: %d the same, %d with other parameters, %d only by %s, %d only %s\n", report.Transitions, spanText(report),
		report.Totals.Same, report.Totals.Changed, report.Totals.OnlyNew, newFile, report.Totals.OnlyOld, oldText(oldFile))
	return nil
}

func oldText(file string) string {
	if file == "" {
		return "really done"
	}
	return "by " + file
}

// spanText says from when to when transitions were folded.
func spanText(report *simulate.Report) string {
	text := ""
	if !report.Since.IsZero() {
		text = " since " + report.Since.UTC().Format(time.RFC3339)
	}
	if report.Transitions > 0 {
		text += " until " + report.Until.Format(time.RFC3339)
	}
	return text
}

func becauseText(o plan.Origin) string { return fmt.Sprintf("%s %s", o.Kind, o.DeliveryID) }

// paramsText is the parameters in short; of two that differ both.
func paramsText(line simulate.Line) string {
	switch line.Sign {
	case simulate.Changed:
		return oneLine(string(line.Old.Params), paramsWidth) + " → " + oneLine(string(line.New.Params), paramsWidth)
	case simulate.OnlyOld:
		return oneLine(string(line.Old.Params), paramsWidth)
	case simulate.Same, simulate.OnlyNew:
	}
	return oneLine(string(line.New.Params), paramsWidth)
}

// note says how the other side stands, or why it does not do it.
func note(line simulate.Line) string {
	other := line.Old
	if line.Sign == simulate.OnlyOld {
		other = line.New
	}
	if other == nil {
		return oneLine(line.Why, noteWidth)
	}
	return oneLine(strings.TrimSuffix(other.State+": "+other.Reason, ": "), noteWidth)
}

// Widths of a table's columns, in characters.
const (
	paramsWidth = 60
	noteWidth   = 120
)

// oneLine cuts a text short, and makes one line of it.
func oneLine(text string, width int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > width {
		return string(runes[:width-3]) + "..."
	}
	return string(runes)
}
