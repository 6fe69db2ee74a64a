package embedded

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// fetchedMajor is the version that is fetched for a new cluster.
const fetchedMajor = 18

// fetchable returns the release that is fetched for a major version.
func fetchable(major int) (embeddedpostgres.PostgresVersion, error) {
	switch major {
	case 15:
		return embeddedpostgres.V15, nil
	case 16:
		return embeddedpostgres.V16, nil
	case 17:
		return embeddedpostgres.V17, nil
	case 18:
		return embeddedpostgres.V18, nil
	}
	return "", fmt.Errorf("version %d of postgres is not among those that can be fetched", major)
}

// findBinaries returns the machine's own programs where they fit, else those
// that were fetched into the directory, else fetches them there.
func findBinaries(ctx context.Context, c *cluster, into string, log *slog.Logger) (string, error) {
	bin, missing := installed(ctx, c.owner, c.major)
	if missing == nil {
		return bin, nil
	}
	if err := ours(into); err != nil {
		return "", err
	}
	major := cmp.Or(c.major, fetchedMajor)
	dir := filepath.Join(into, strconv.Itoa(major))
	if _, err := majorOf(ctx, c.owner, filepath.Join(dir, "bin")); err != nil {
		log.WarnContext(ctx, "no fitting postgres on this machine, fetching one", "version", major, "dir", dir)
		if err := fetch(ctx, major, dir); err != nil {
			return "", fmt.Errorf("%w, and none could be fetched: %w; install it (Debian: apt-get install postgresql; "+
				"macOS: brew install postgresql@%d) or set database.url to a server you have", missing, err, major)
		}
	}
	found, err := majorOf(ctx, c.owner, filepath.Join(dir, "bin"))
	if err != nil || found != major {
		return "", fmt.Errorf("the postgres fetched into %s does not run as user %s (version %d): %w", dir, c.owner, found, err)
	}
	return filepath.Join(dir, "bin"), nil
}

// ours refuses programs that somebody else could have put there.
func ours(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if status, ok := info.Sys().(*syscall.Stat_t); ok && int(status.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user: not running a postgres from there", dir)
	}
	return nil
}

// fetch brings PostgreSQL into dir. embedded-postgres insists on starting what
// it fetched, and as root cannot; we want the files only and start them
// ourselves, so its error counts only where the files are not there. The commit
// point is the rename: before it, the next start fetches again.
func fetch(ctx context.Context, major int, dir string) error {
	version, err := fetchable(major)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fetched := filepath.Join(scratch, "binaries")
	if err := download(ctx, version, scratch, fetched); err != nil {
		return err
	}
	if err := os.Chmod(fetched, 0o755); err != nil {
		return err
	}
	if os.Rename(fetched, dir) == nil || has(dir) {
		return nil // the second: another process was faster
	}
	return errors.Join(os.RemoveAll(dir), os.Rename(fetched, dir))
}

func download(ctx context.Context, version embeddedpostgres.PostgresVersion, scratch, into string) error {
	port, err := FreePort(ctx)
	if err != nil {
		return err
	}
	server := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(version).
		Password(rand.Text()).
		BinariesPath(into).
		CachePath(filepath.Join(scratch, "cache")).
		RuntimePath(filepath.Join(scratch, "runtime")).
		Port(uint32(port)).
		Logger(io.Discard))
	startErr := server.Start()
	if startErr == nil {
		startErr = server.Stop()
	}
	if !has(into) {
		return fmt.Errorf("fetch postgres %s: %w", version, startErr)
	}
	return nil
}

// has reports whether dir holds an unpacked PostgreSQL.
func has(dir string) bool {
	_, binErr := os.Stat(filepath.Join(dir, "bin", "postgres"))
	_, shareErr := os.Stat(filepath.Join(dir, "share"))
	return binErr == nil && shareErr == nil
}
