package compose_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// contract returns the metrics that outsiders may rely on, each with its
// labels; docs/operations.md lists the same.
func contract() map[string][]string {
	return map[string][]string{
		"pawl_ingest_deliveries_total":       {"source", "event", "outcome"},
		"pawl_ingest_append_seconds":         {"le"},
		"pawl_projector_records_total":       {"provider", "event", "verdict"},
		"pawl_projector_lag_records":         {"topic", "partition"},
		"pawl_projector_lag_seconds":         nil,
		"pawl_outbox_pending":                nil,
		"pawl_outbox_oldest_seconds":         nil,
		"pawl_actuator_mutations_total":      {"kind", "outcome"},
		"pawl_actuator_fenced_settles_total": nil,
		"pawl_provider_rate_limit_remaining": nil,
		"pawl_dead_letters":                  nil,
		"pawl_delivery_to_state_seconds":     {"le"},
		"pawl_delivery_to_mutation_seconds":  {"le"},
	}
}

type alert struct{ Alert, Expr string }

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []alert }
	}
	decode(t, "deploy/alerts.yml", &file)
	var all []alert
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// known returns the metrics that alerts and the dashboard may ask for: the
// contract, and what the program has besides.
func known() map[string][]string {
	all := contract()
	all["pawl_projector_stopped_partitions"] = []string{"topic", "partition"}
	all["pawl_actuator_rules_reload_total"] = []string{"outcome"}
	return all
}

// expressions returns the queries of the alerts and of the dashboard.
func expressions(t *testing.T) []string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "deploy/grafana/dashboards/pawl.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, rule := range alerts(t) {
		found = append(found, rule.Expr)
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			found = append(found, target.Expr)
		}
	}
	return found
}

// asked returns the metrics of a query, without the endings of a histogram.
func asked(expression string) []string {
	names := found(`(pawl_[a-z_]+)`, expression)
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, "_bucket")
	}
	return names
}

func TestMetrics_AlertsAndDashboardAskForWhatIsThere(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, expression := range expressions(t) {
		var labels []string
		for _, name := range asked(expression) {
			seen[name] = true
			if _, ok := known()[name]; !ok {
				t.Errorf("%s is no metric that is known, in %s", name, expression)
			}
			labels = append(labels, known()[name]...)
		}
		for _, label := range labelsOf(expression) {
			if len(labels) > 0 && !slices.Contains(labels, label) {
				t.Errorf("%s is no label of %v, in %s", label, asked(expression), expression)
			}
		}
	}
	for name := range contract() {
		if !seen[name] {
			t.Errorf("neither an alert nor the dashboard asks for %s", name)
		}
	}
}

// labelsOf returns the labels that a query groups by or selects on.
func labelsOf(expression string) []string {
	labels := found(`[{,]\s*([a-z_]+)\s*(?:=~|!=|!~|=)`, expression)
	for _, group := range regexp.MustCompile(`by \(([^)]*)\)`).FindAllStringSubmatch(expression, -1) {
		for label := range strings.SplitSeq(group[1], ",") {
			labels = append(labels, strings.TrimSpace(label))
		}
	}
	return labels
}

func TestMetrics_TheProgramHasThem(t *testing.T) {
	t.Parallel()
	program := source(t, "ingest", "projector", "relay", "actuator", "cmd", "internal")
	for name := range known() {
		if !strings.Contains(program, `"`+name+`"`) {
			t.Errorf("the program has no metric %s", name)
		}
	}
}

func TestMetrics_OperationsNamesTheContract(t *testing.T) {
	t.Parallel()
	text := read(t, "docs/operations.md")
	for name, labels := range contract() {
		want := "`" + name
		if len(labels) > 0 && !slices.Contains(labels, "le") {
			want += "{" + strings.Join(labels, ",") + "}"
		}
		if !strings.Contains(text, want+"`") {
			t.Errorf("docs/operations.md does not name %s`", want)
		}
	}
}

// TestAlerts_AreOnWhatAPersonMustDo: lag, a stopped partition, the outbox and
// dead letters each have an alert on their metric.
func TestAlerts_AreOnWhatAPersonMustDo(t *testing.T) {
	t.Parallel()
	queries := make(map[string]string)
	for _, rule := range alerts(t) {
		queries[rule.Alert] = rule.Expr
	}
	for alert, metric := range map[string]string{
		"PawlLag":              "pawl_projector_lag_seconds",
		"PawlPartitionStopped": "pawl_projector_stopped_partitions",
		"PawlOutboxStuck":      "pawl_outbox_oldest_seconds",
		"PawlDeadLetters":      "pawl_dead_letters",
	} {
		if !slices.Contains(asked(queries[alert]), metric) {
			t.Errorf("alert %s asks %q, want it to ask for %s", alert, queries[alert], metric)
		}
	}
}
