package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pawl/internal/config"
)

// errNo means that the command did its work and the answer is no: it has said so
// itself.
var errNo = errors.New("no")

// usageError is a fault of the command line.
type usageError struct{ err error }

// Error returns the fault.
func (e *usageError) Error() string { return e.err.Error() }

// Unwrap returns the fault.
func (e *usageError) Unwrap() error { return e.err }

// flags are those of every command.
type flags struct {
	configFile  string
	logLevel    string
	dataDir     string
	printConfig bool
}

func newRoot() *cobra.Command {
	f := new(flags)
	root := &cobra.Command{
		Use:   "pawl",
		Short: "Webhooks of a code host into a state that only moves forward, and acts made once",
		Long: "Pawl appends every verified delivery to a Kafka topic, folds it into one PostgreSQL row per pull request\n" +
			"that only moves forward by the provider's own clock, and makes each change at the provider once.",
		Example:       "  pawl demo\n  pawl up --config pawl.yaml\n  pawl explain acme/api#7",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.PersistentFlags().StringVar(&f.configFile, "config", "", "configuration file (PAWL_CONFIG; default pawl.yaml where it is there)")
	root.PersistentFlags().StringVar(&f.logLevel, "log-level", "", "debug, info, warn or error")
	root.PersistentFlags().StringVar(&f.dataDir, "data-dir", "", "where the embedded Kafka and PostgreSQL live (PAWL_DATA_DIR; default data)")
	root.AddCommand(
		newDemo(f), newUp(f), newIngest(f), newProjector(f), newActuator(f), newMigrate(f), newSend(), newTest(),
		newExplain(f), newSimulate(f), newDeadLetters(f), newLag(f), newHealthcheck(f), newVersion(),
	)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	asUsage(root)
	return root
}

// asUsage makes a wrong number of arguments a usage error.
func asUsage(command *cobra.Command) {
	check := command.Args
	if check == nil {
		check = cobra.NoArgs
	}
	command.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
		}
		return nil
	}
	for _, sub := range command.Commands() {
		asUsage(sub)
	}
}

// load reads the configuration; a faulty one is a usage error.
func (f *flags) load() (*config.Config, error) {
	loaded, err := config.Load(cmp.Or(f.configFile, os.Getenv("PAWL_CONFIG")), os.LookupEnv)
	if err != nil {
		return nil, &usageError{err}
	}
	loaded.Log.Level = cmp.Or(f.logLevel, loaded.Log.Level)
	loaded.DataDir = cmp.Or(f.dataDir, loaded.DataDir)
	return loaded, nil
}

// newLog returns the logger: text on a terminal, JSON elsewhere, unless the
// configuration says which.
func newLog(settings config.Log, out *os.File) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(settings.Level)); err != nil {
		return nil, &usageError{fmt.Errorf("log level %q, want debug, info, warn or error", settings.Level)}
	}
	terminal := term.IsTerminal(int(out.Fd()))
	if settings.Format == "text" || settings.Format == "auto" && terminal {
		return slog.New(tint.NewTextHandler(out, &tint.Options{Level: level, TimeFormat: "15:04:05.000", NoColor: !terminal})), nil
	}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})), nil
}

// colourful reports whether an output takes colour.
func colourful(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("NO_COLOR") == ""
}
