package embedded

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// findBinaries returns the directory that holds initdb and postgres: the
// machine's own where it has them, newest first, else fetched ones.
func findBinaries(ctx context.Context, clusterDir string) (string, error) {
	for _, dir := range candidateDirs() {
		if hasBinaries(dir) {
			return dir, nil
		}
	}
	fetched := filepath.Join(filepath.Dir(clusterDir), "postgres-binaries")
	if hasBinaries(filepath.Join(fetched, "bin")) {
		return filepath.Join(fetched, "bin"), nil
	}
	return fetchBinaries(ctx, fetched)
}

// candidateDirs lists where PostgreSQL lives on Debian, Fedora, macOS with
// Homebrew, and wherever PATH says.
func candidateDirs() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		slices.SortFunc(found, func(a, b string) int { return cmp.Compare(majorVersion(b), majorVersion(a)) })
		dirs = append(dirs, found...)
	}
	return dirs
}

// majorVersion returns the number in /usr/lib/postgresql/15/bin, or 0.
func majorVersion(dir string) int {
	digits := strings.TrimLeft(filepath.Base(filepath.Dir(dir)), "abcdefghijklmnopqrstuvwxyz@-")
	number, _ := strconv.Atoi(digits)
	return number
}

func hasBinaries(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// fetchBinaries brings PostgreSQL by embedded-postgres. That library insists on
// starting what it fetched, and cannot as root; we want the files only and start
// them ourselves, so its error counts only if the files are not there.
func fetchBinaries(ctx context.Context, dir string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp("", "pawl-postgres-fetch")
	if err != nil {
		return "", fmt.Errorf("fetch postgres: %w", err)
	}
	defer os.RemoveAll(scratch)
	port, err := freePort(ctx)
	if err != nil {
		return "", fmt.Errorf("fetch postgres: %w", err)
	}
	server := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		BinariesPath(dir).
		CachePath(filepath.Join(scratch, "cache")).
		RuntimePath(filepath.Join(scratch, "runtime")).
		Port(uint32(port)).
		Logger(io.Discard))
	startErr := server.Start()
	if startErr == nil {
		startErr = server.Stop()
	}
	bin := filepath.Join(dir, "bin")
	if !hasBinaries(bin) {
		return "", fmt.Errorf("no postgres on this machine (looked in PATH, /usr/lib/postgresql, /usr/pgsql-*, Homebrew) and none could be fetched: %w; "+
			"install it (Debian: apt-get install postgresql; macOS: brew install postgresql) or set database.url to a server you have", startErr)
	}
	return bin, nil
}
