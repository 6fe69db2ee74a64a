package main

import (
	"context"
	"fmt"
	"slices"

	"pawl/schemas"
)

// benchEdge measures the edge: against itself with the stock Writer behind it,
// against the appender alone, and against a bare produce.
func benchEdge(ctx context.Context, r *report, p *parts, s size) error {
	r.section("Edge: HTTP, HMAC, append with acks=all and fsync, on loopback")
	e := &edgeBench{parts: p, seconds: s.seconds / 2}
	var vsWriter, vsAppend, overProduce []float64
	for _, bytes := range []int{small, large} {
		deliveries, records, err := edgeLoad(bytes)
		if err != nil {
			return err
		}
		t := edgeTable{edgeBench: e, report: r, name: fmt.Sprint(bytes >> 10), deliveries: deliveries, records: records, rounds: s.rounds}
		ratios, err := t.measure(ctx)
		if err != nil {
			return err
		}
		vsWriter = append(vsWriter, ratios.writer)
		vsAppend = append(vsAppend, ratios.direct)
		overProduce = append(overProduce, ratios.produce)
	}
	r.add("edge_vs_writer", slices.Min(vsWriter), "x", ">= 3", "64 connections, the Writer at its best setting, the worse of the two sizes")
	r.add("edge_vs_append", slices.Min(vsAppend), "x", ">= 0.6", "64 connections against 64 callers, the worse of the two sizes")
	r.add("edge_p50_over_produce_ms", slices.Max(overProduce), "ms", "<= 1", "one connection, the worse of the two sizes")
	return nil
}

// edgeTable is the edge's table for one size of body.
type edgeTable struct {
	*edgeBench
	report     *report
	name       string // of the size: 10 or 24
	deliveries []delivery
	records    []schemas.Record
	rounds     int
}

// edgeRatios are what the table comes to.
type edgeRatios struct{ writer, direct, produce float64 }

func (t *edgeTable) measure(ctx context.Context) (edgeRatios, error) {
	best, err := t.bestWriter(ctx)
	if err != nil {
		return edgeRatios{}, err
	}
	var ratios edgeRatios
	if ratios.writer, ratios.direct, err = t.at64(ctx, best); err != nil {
		return edgeRatios{}, err
	}
	if ratios.produce, err = t.at1(ctx, best); err != nil {
		return edgeRatios{}, err
	}
	for _, w := range []way{ours, best} {
		result, err := t.overHTTP(ctx, w, t.deliveries, 256)
		if err != nil {
			return edgeRatios{}, err
		}
		t.cell(w, "256", result.perSecond, result)
	}
	return ratios, nil
}

// bestWriter tries each setting of the Writer at 64 connections.
func (t *edgeTable) bestWriter(ctx context.Context) (way, error) {
	var best way
	top := 0.0
	for _, w := range writerWays() {
		result, err := t.overHTTP(ctx, w, t.deliveries, 64)
		if err != nil {
			return way{}, fmt.Errorf("%s: %w", w.name, err)
		}
		if result.perSecond > top {
			best, top = w, result.perSecond
		}
	}
	return best, nil
}

// at64 measures edge, Writer and appender in turns, so that the machine's noise
// is in all of them, and returns the medians' ratios.
func (t *edgeTable) at64(ctx context.Context, best way) (vsWriter, vsAppend float64, err error) {
	var edge, writer, direct []float64
	var last, lastWriter, lastDirect loadResult
	for range t.rounds {
		if last, err = t.overHTTP(ctx, ours, t.deliveries, 64); err != nil {
			return 0, 0, err
		}
		if lastWriter, err = t.overHTTP(ctx, best, t.deliveries, 64); err != nil {
			return 0, 0, err
		}
		if lastDirect, err = t.direct(ctx, t.records, 64); err != nil {
			return 0, 0, err
		}
		edge = append(edge, last.perSecond)
		writer = append(writer, lastWriter.perSecond)
		direct = append(direct, lastDirect.perSecond)
	}
	t.cell(ours, "64", median(edge), last)
	t.cell(best, "64", median(writer), lastWriter)
	t.cell(way{name: "append alone"}, "64", median(direct), lastDirect)
	return median(edge) / median(writer), median(edge) / median(direct), nil
}

// at1 measures one connection against a bare produce, in turns, and returns by
// how many milliseconds the edge's p50 is later.
func (t *edgeTable) at1(ctx context.Context, best way) (float64, error) {
	var edge, produce []float64
	var last, lastProduce loadResult
	var err error
	for range t.rounds {
		if last, err = t.overHTTP(ctx, ours, t.deliveries, 1); err != nil {
			return 0, err
		}
		if lastProduce, err = t.bareProduce(ctx, t.records); err != nil {
			return 0, err
		}
		edge = append(edge, milliseconds(last.p50))
		produce = append(produce, milliseconds(lastProduce.p50))
	}
	writer, err := t.overHTTP(ctx, best, t.deliveries, 1)
	if err != nil {
		return 0, err
	}
	t.cell(ours, "1", last.perSecond, last)
	t.cell(best, "1", writer.perSecond, writer)
	t.cell(way{name: "produce alone"}, "1", lastProduce.perSecond, lastProduce)
	return median(edge) - median(produce), nil
}

// cell reports one cell of the table.
func (t *edgeTable) cell(w way, connections string, perSecond float64, last loadResult) {
	key := map[string]string{ours.name: "edge", "append alone": "append", "produce alone": "produce"}[w.name]
	if key == "" {
		key = "writer"
	}
	t.report.add(fmt.Sprintf("%s_%skb_%s_per_second", key, t.name, connections), perSecond, "1/s", "",
		fmt.Sprintf("%s: p50 %.2f ms, p99 %.2f ms", w.name, milliseconds(last.p50), milliseconds(last.p99)))
}
