package ingest

import "testing"

func TestTraceParent(t *testing.T) {
	t.Parallel()
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	tests := []struct {
		name  string
		given string
		keeps bool
	}{
		{"valid", good, true},
		{"not sampled", good[:53] + "00", true},
		{"later version with more", "01" + good[2:] + "-more", true},
		{"none", "", false},
		{"version ff", "ff" + good[2:], false},
		{"version 00 with more", good + "-more", false},
		{"upper case", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false},
		{"trace id zero", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
		{"parent id zero", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false},
		{"short", good[:54], false},
		{"other separators", "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := traceParent(test.given)
			if (got == test.given) != test.keeps {
				t.Errorf("traceParent(%q) = %q, want it kept: %t", test.given, got, test.keeps)
			}
			if !isTraceParent(got) {
				t.Errorf("traceParent(%q) = %q, which is none", test.given, got)
			}
		})
	}
	if one, two := traceParent(""), traceParent(""); one == two {
		t.Errorf("two new traceparents are equal: %s", one)
	}
}
