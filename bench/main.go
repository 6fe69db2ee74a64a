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
	"runtime/debug"
	"runtime/pprof"
	"strings"
)

// size is how large the loads are.
type size struct {
	deliveries int     // of the projector's load
	seconds    float64 // of one measurement at a rate, and of a cell of the edge
	rounds     int     // of what is measured in turns
	few, many  int     // rows present, for the flatness
	decided    int     // transitions through the rules
	acts       int     // mutations that are made
}

func fullSize(deliveries int) size {
	return size{deliveries: deliveries, seconds: 3, rounds: 3, few: 50_000, many: 2_000_000, decided: 4000, acts: 400}
}

func quickSize() size {
	return size{deliveries: 2000, seconds: 0.3, rounds: 1, few: 2000, many: 20_000, decided: 200, acts: 32}
}

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
	quick := flag.Bool("quick", false, "small loads, to see that all of it runs; the figures mean little")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the run to this file")
	flag.Parse()
	debug.SetGCPercent(300) // as cmd/pawl sets it
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
	size := fullSize(*deliveries)
	if *quick {
		size = quickSize()
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
		{"projector", func() error { return benchProjector(ctx, r, p, size.deliveries) }},
		{"mixed", func() error { return benchMixed(ctx, r, p, size.deliveries) }},
		{"edge", func() error { return benchEdge(ctx, r, p, size) }},
		{"latency", func() error { return benchLatency(ctx, r, p, size) }},
		{"flat", func() error { return benchFlat(ctx, r, p, size) }},
		{"rules", func() error { return benchDecisions(ctx, r, p, size) }},
		{"acts", func() error { return benchActs(ctx, r, p, size) }},
		{"memory", func() error { return benchMemory(ctx, r, p, size) }},
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
