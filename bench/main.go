// Command bench measures Pawl against the naive way and against the raw limits
// of its parts, in one run on one machine, and reports ratios: the machine is
// noisy, and the noise is in both sides.
//
// It prints a table and writes bench/report.json with the same figures under the
// keys that the table shows.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "bench/report.json", "where the figures go")
	only := flag.String("only", "", "sections to run, comma separated; empty runs all")
	deliveries := flag.Int("deliveries", 40_000, "deliveries of the projector's load")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the run to this file")
	flag.Parse()
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	p, err := startParts(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	r := newReport(os.Stdout)
	sections := []struct {
		name string
		run  func() error
	}{
		{"projector", func() error { return benchProjector(ctx, r, p, *deliveries) }},
	}
	for _, section := range sections {
		if *only != "" && !strings.Contains(","+*only+",", ","+section.name+",") {
			continue
		}
		if err := section.run(); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return r.save(*out)
}
