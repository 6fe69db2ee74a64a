package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pawl/internal/story"
)

func newTest() *cobra.Command {
	var orders string
	var strict, coverage, asJSON bool
	command := &cobra.Command{
		Use:   "test PATH…",
		Short: "Run stories through the real fold and rules, without Kafka or PostgreSQL",
		Long: "A story is a txtar file: pawl.yaml, deliveries as NN.http, want.yaml. A folder is searched for *.txtar.\n" +
			"With --orders each story also runs in other orders of arrival and with every delivery doubled: all orders\n" +
			"up to 6 deliveries, else N samples (all: " + strconv.Itoa(story.AllOrders) + "), the same ones each time.\n" +
			"With --coverage it also tells which rules, and which parts of their conditions, no story reached in its written order.",
		Example: "  pawl test stories\n  pawl test --orders all stories/lost_reopened.txtar\n  pawl test --coverage stories",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			samples, err := parseOrders(orders)
			if err != nil {
				return err
			}
			files, err := findStories(args)
			if err != nil {
				return err
			}
			options := story.Options{Orders: samples, Strict: strict}
			if coverage {
				options.Coverage = new(story.Coverage)
			}
			return runStories(c.OutOrStdout(), files, options, asJSON)
		},
	}
	command.Flags().StringVar(&orders, "orders", "", "also run other orders: N samples, or all")
	command.Flags().BoolVar(&strict, "strict", false, "an order that ends in other mutations is a failure")
	command.Flags().BoolVar(&coverage, "coverage", false, "also tell what of the rules no story reached")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func parseOrders(text string) (int, error) {
	switch text {
	case "":
		return 0, nil
	case "all":
		return story.AllOrders, nil
	}
	samples, err := strconv.Atoi(text)
	if err != nil || samples < 1 {
		return 0, &usageError{fmt.Errorf("--orders %q, want a number or all", text)}
	}
	return samples, nil
}

// findStories returns the files named and those in the folders named.
func findStories(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, &usageError{err}
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(name, ".txtar") {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("search %s: %w", path, err)
		}
	}
	if len(files) == 0 {
		return nil, &usageError{fmt.Errorf("no *.txtar in %s", strings.Join(paths, ", "))}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// runStories prints a line a story, what is not so below it, and how many
// passed.
func runStories(out io.Writer, files []string, options story.Options, asJSON bool) error {
	var reports []story.Report
	failed := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read story: %w", err)
		}
		report := story.Test(file, data, options)
		reports = append(reports, report)
		if !report.OK {
			failed++
		}
		if !asJSON {
			printReport(out, report)
		}
	}
	if asJSON {
		told := map[string]any{"stories": reports, "passed": len(files) - failed, "failed": failed}
		if options.Coverage != nil {
			told["coverage"] = options.Coverage.Report()
		}
		if err := json.NewEncoder(out).Encode(told); err != nil {
			return err
		}
	} else {
		if options.Coverage != nil {
			printCoverage(out, options.Coverage.Report())
		}
		fmt.Fprintf(out, "%d passed, %d failed\n", len(files)-failed, failed)
	}
	if failed > 0 {
		return errNo
	}
	return nil
}

func printReport(out io.Writer, report story.Report) {
	word := map[bool]string{true: "ok  ", false: "FAIL"}[report.OK]
	runs := ""
	if report.Runs > 1 {
		runs = fmt.Sprintf("  (%d orders)", report.Runs)
	}
	fmt.Fprintf(out, "%s %s%s\n", word, report.Story, runs)
	for _, line := range slices.Concat(report.Diffs, report.Notes) {
		fmt.Fprintf(out, "     %s\n", strings.ReplaceAll(line, "\n", "\n     "))
	}
}

// printCoverage tells what no story reached, by the stories that share the rules.
func printCoverage(out io.Writer, told []story.Covered) {
	whole := 0
	for _, covered := range told {
		if len(covered.Missing) == 0 {
			whole++
			continue
		}
		fmt.Fprintf(out, "not reached by %s\n", listed(covered.Stories))
		for _, missing := range covered.Missing {
			fmt.Fprintf(out, "     %s\n", strings.ReplaceAll(missing, "\n", "\n     "))
		}
	}
	fmt.Fprintf(out, "coverage: %d of %d sets of rules reached whole\n", whole, len(told))
}
