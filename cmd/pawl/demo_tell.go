package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"pawl/internal/fakegithub"
)

// conclude prints what happened and checks it. It returns errDemoDone if all is
// right.
func (d *demo) conclude(ctx context.Context, out io.Writer, pool *pgxpool.Pool) error {
	rows, err := d.readRows(ctx, pool)
	if err != nil {
		return err
	}
	verdicts, err := readVerdicts(ctx, pool)
	if err != nil {
		return err
	}
	c := paint(colourful(out))
	truth := d.truth()
	d.tellDeliveries(out, c)
	tellRows(out, c, truth, rows, lastWriteWins(d.lived), lastWriteWins(d.arrived))
	if err := d.tellVerdicts(ctx, out, c, pool, verdicts); err != nil {
		return err
	}
	acts := d.acts()
	d.tellActs(out, c, acts)
	if err := checkDemo(truth, rows, acts); err != nil {
		return err
	}
	return errDemoDone
}

// truth is what the provider shows now.
func (d *demo) truth() map[int]shown {
	rows := make(map[int]shown)
	for number := 1; number <= 3; number++ {
		pr := d.github.PullRequest(demoRepository, number)
		row := shown{state: "open", head: pr.HeadSHA, labels: strings.Join(pr.Labels, ",")}
		if pr.Closed {
			row.state = "closed"
		}
		if pr.Merged {
			row.state = "merged"
		}
		rows[number] = row
	}
	return rows
}

func (d *demo) readRows(ctx context.Context, pool *pgxpool.Pool) (map[int]shown, error) {
	found, err := pool.Query(ctx, `select number, state, head_sha, array_to_string(labels, ',') from pawl.pull_request`)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	rows := make(map[int]shown)
	var number int
	var row shown
	_, err = pgx.ForEachRow(found, []any{&number, &row.state, &row.head, &row.labels}, func() error {
		rows[number] = row
		return nil
	})
	return rows, err
}

func readVerdicts(ctx context.Context, pool *pgxpool.Pool) (map[string]int, error) {
	found, err := pool.Query(ctx, `select verdict, count(*) from pawl.delivery group by verdict`)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	verdicts := make(map[string]int)
	var verdict string
	var count int
	_, err = pgx.ForEachRow(found, []any{&verdict, &count}, func() error {
		verdicts[verdict] = count
		return nil
	})
	return verdicts, err
}

func (d *demo) tellDeliveries(out io.Writer, c palette) {
	fmt.Fprintf(out, "%s\n", c.bold("What happened at the provider, in order"))
	fmt.Fprintf(out, "  %s\n\n", names(d.lived))
	fmt.Fprintf(out, "%s\n", c.bold(fmt.Sprintf("How its %d deliveries arrived: shuffled, each twice", len(d.lived))))
	fmt.Fprintf(out, "  %s\n\n", names(d.arrived))
}

// names lists deliveries as #1 opened, #2 closed, wrapped.
func names(hooks []fakegithub.Webhook) string {
	var b strings.Builder
	width := 0
	for i, hook := range hooks {
		number, _, _ := readHook(hook)
		name := fmt.Sprintf("#%d %s", number, hook.Action)
		if i > 0 {
			name = ", " + name
		}
		if width += len(name); width > 104 {
			b.WriteString(",\n  ")
			name = strings.TrimPrefix(name, ", ")
			width = len(name)
		}
		b.WriteString(name)
	}
	return b.String()
}

// tellRows compares Pawl's rows with what the provider shows now, and those of
// the last write with what it showed before anybody acted.
func tellRows(out io.Writer, c palette, truth, rows, before, naive map[int]shown) {
	fmt.Fprintf(out, "%s\n", c.bold(fmt.Sprintf("%-12s %-26s %-34s %s", "", "the provider says", "last write wins, before acting", "pawl")))
	for _, number := range slices.Sorted(maps.Keys(truth)) {
		fmt.Fprintf(out, "  acme/api#%d %-26s %s %s\n", number, truth[number],
			mark(c, naive[number], before[number], 32), mark(c, rows[number], truth[number], 0))
	}
	fmt.Fprintln(out)
}

// mark shows a row and whether it is true.
func mark(c palette, got, want shown, width int) string {
	text := fmt.Sprintf("%-*s", width, got)
	if got == want {
		return c.green("✓ " + text)
	}
	return c.red("✗ " + text)
}

func (d *demo) tellVerdicts(ctx context.Context, out io.Writer, c palette, pool *pgxpool.Pool, verdicts map[string]int) error {
	var parts []string
	for _, verdict := range slices.Sorted(maps.Keys(verdicts)) {
		parts = append(parts, fmt.Sprintf("%d %s", verdicts[verdict], verdict))
	}
	fmt.Fprintf(out, "%s %s\n", c.bold("Why:"), fmt.Sprintf("%d deliveries, with the echoes of our own acts: %s", d.posted, strings.Join(parts, ", ")))
	found, err := pool.Query(ctx, `
		select distinct on (subject) subject, event || coalesce('.' || action, ''), verdict, reason
		  from pawl.delivery where verdict = 'stale' order by subject, log_offset`)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	var subject, event, verdict, reason string
	_, err = pgx.ForEachRow(found, []any{&subject, &event, &verdict, &reason}, func() error {
		_, err := fmt.Fprintf(out, "  %s %s %s: %s\n", subject, event, c.yellow(verdict), c.dim(reason))
		return err
	})
	fmt.Fprintln(out)
	return err
}

// acts are the changes that Pawl made at the provider.
func (d *demo) acts() []string {
	var acts []string
	for _, effect := range d.github.EffectsBy(demoLogin) {
		detail, _, _ := strings.Cut(effect.Detail, "\n")
		acts = append(acts, fmt.Sprintf("%s #%d %s", effect.Kind, effect.Number, detail))
	}
	return acts
}

func (d *demo) tellActs(out io.Writer, c palette, acts []string) {
	merges, comments := naiveActs(d.arrived)
	fmt.Fprintf(out, "%s\n", c.bold("Made at the provider, once each"))
	for _, act := range acts {
		fmt.Fprintf(out, "  %s\n", c.green(act))
	}
	fmt.Fprintf(out, "  %s\n", c.dim(fmt.Sprintf("acting on each delivery: %d merges tried, %d comments before the echoes", merges, comments)))
	fmt.Fprintf(out, "\nNext: pawl up runs it for real; README.md shows how to point a webhook at it.\n")
}

// checkDemo says what of the demo is not as it must be.
func checkDemo(truth, rows map[int]shown, acts []string) error {
	if !maps.Equal(truth, rows) {
		return fmt.Errorf("demo: the tables say %v, the provider %v", rows, truth)
	}
	want := map[string]int{"merged #3": 1, "comment_created #1": 1, "comment_created #3": 1}
	got := make(map[string]int)
	for _, act := range acts {
		words := strings.Fields(act)
		got[words[0]+" "+words[1]]++
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("demo: acts at the provider were %v, want %v", got, want)
	}
	return nil
}
