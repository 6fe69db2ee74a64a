package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// figure is one line of the report.
type figure struct {
	Key   string  `json:"key"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Goal  string  `json:"goal,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// report collects the figures of one run. Ratios are of two measurements in
// this run; the machine's noise is in both.
type report struct {
	out     io.Writer
	Begun   time.Time `json:"begun"`
	Go      string    `json:"go"`
	Cores   int       `json:"cores"`
	Figures []figure  `json:"figures"`
}

func newReport(out io.Writer) *report {
	return &report{out: out, Begun: time.Now().UTC(), Go: runtime.Version(), Cores: runtime.NumCPU()}
}

func (r *report) section(title string) {
	fmt.Fprintf(r.out, "\n%s\n", title)
}

// add records a figure and prints it at once.
func (r *report) add(key string, value float64, unit, goal, note string) {
	r.Figures = append(r.Figures, figure{key, value, unit, goal, note})
	fmt.Fprintf(r.out, "  %-34s %12s %-10s %-10s %s\n", key, number(value), unit, goal, note)
}

func number(value float64) string {
	if value >= 100 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.2f", value)
}

// save writes the figures as a flat object of key to value, beside the whole
// report.
func (r *report) save(path string) error {
	flat := make(map[string]any, len(r.Figures)+4)
	for _, f := range r.Figures {
		flat[f.Key] = f.Value
	}
	flat["begun"], flat["go"], flat["cores"], flat["figures"] = r.Begun, r.Go, r.Cores, r.Figures
	data, err := json.MarshalIndent(flat, "", "  ")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
