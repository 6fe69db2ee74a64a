package embedded

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// oldestMajor is the first PostgreSQL that the migrations run on.
const oldestMajor = 15

// errNoBinaries is returned where the machine has no fitting PostgreSQL.
var errNoBinaries = errors.New("no postgres on this machine")

// installed returns the directory with the programs of PostgreSQL that serve a
// cluster of the given major version, or of any where it is 0: the one that PATH
// names, else the newest. A cluster can be served only by the version that made
// it, whatever else is installed since.
func installed(ctx context.Context, owner *account, major int) (string, error) {
	var others []string
	for _, dir := range candidateDirs() {
		found, err := majorOf(ctx, owner, dir)
		switch {
		case err != nil:
			continue
		case found == major, major == 0 && found >= oldestMajor:
			return dir, nil
		}
		others = append(others, fmt.Sprintf("%s has version %d", dir, found))
	}
	if len(others) > 0 {
		return "", fmt.Errorf("%w of version %d: %s", errNoBinaries, cmp.Or(major, oldestMajor), strings.Join(others, ", "))
	}
	return "", fmt.Errorf("%w: looked in PATH, /usr/lib/postgresql, /usr/pgsql-*, Homebrew", errNoBinaries)
}

// candidateDirs lists where PostgreSQL lives: wherever PATH says, and on Debian,
// Fedora, and macOS with Homebrew.
func candidateDirs() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		slices.SortFunc(found, func(a, b string) int { return cmp.Compare(majorInPath(b), majorInPath(a)) })
		dirs = append(dirs, found...)
	}
	return dirs
}

// majorInPath returns the number in /usr/lib/postgresql/15/bin, or 0.
func majorInPath(dir string) int {
	digits := strings.TrimLeft(filepath.Base(filepath.Dir(dir)), "abcdefghijklmnopqrstuvwxyz@-")
	number, _ := strconv.Atoi(digits)
	return number
}

// majorOf asks the programs in dir for their version, as the account that will
// run them: it must be able to.
func majorOf(ctx context.Context, owner *account, dir string) (int, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return 0, err
	}
	command := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	command.SysProcAttr = childAttributes(owner)
	command.Dir = "/"
	output, err := command.Output()
	if err != nil {
		return 0, fmt.Errorf("ask %s for its version: %w", command.Path, err)
	}
	return parseMajor(string(bytes.TrimSpace(output)))
}

// parseMajor reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func parseMajor(version string) (int, error) {
	_, rest, found := strings.Cut(version, "(PostgreSQL) ")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if !found || end < 0 {
		end = len(rest)
	}
	major, err := strconv.Atoi(rest[:end])
	if err != nil {
		return 0, fmt.Errorf("not a version of postgres: %q", version)
	}
	return major, nil
}
