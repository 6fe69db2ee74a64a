package embedded_test

import (
	"os"
	"path/filepath"
	"testing"

	"pawl/internal/embedded"
)

func TestParseMajor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, version string
		want          int
		wantErr       bool
	}{
		{name: "debian", version: "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", want: 15},
		{name: "plain", version: "postgres (PostgreSQL) 18.3", want: 18},
		{name: "development", version: "postgres (PostgreSQL) 19devel", want: 19},
		{name: "number alone", version: "postgres (PostgreSQL) 17", want: 17},
		{name: "another program", version: "postgres 17", wantErr: true},
		{name: "nothing", version: "", wantErr: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := embedded.ParseMajor(test.version)
			if got != test.want || (err != nil) != test.wantErr {
				t.Errorf("got %d, %v, want %d, error %t", got, err, test.want, test.wantErr)
			}
		})
	}
}

// TestFetch_BringsAPostgresThatRuns goes to the network, so it runs when asked.
func TestFetch_BringsAPostgresThatRuns(t *testing.T) {
	if os.Getenv("PAWL_TEST_FETCH") == "" {
		t.Skip("fetches 30 MB: set PAWL_TEST_FETCH to run it")
	}
	dir := openDir(t)
	binaries := filepath.Join(dir, "binaries")
	if err := embedded.Fetch(t.Context(), 18, filepath.Join(binaries, "18")); err != nil {
		t.Fatal(err)
	}
	// No cluster of version 18 is served by the machine's own 15, so a cluster
	// that says 18 shows which programs were taken.
	t.Setenv("PATH", filepath.Join(binaries, "18", "bin"))
	server, err := embedded.StartPostgres(t.Context(), embedded.PostgresConfig{Dir: filepath.Join(dir, "postgres"), Binaries: binaries})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	if got := query(t, server.URL(), `select current_setting('server_version_num')::int / 10000`); got != 18 {
		t.Errorf("version %d serves, want 18", got)
	}
}
