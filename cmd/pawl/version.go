package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  pawl version --json",
		RunE: func(c *cobra.Command, _ []string) error {
			version, revision := buildVersion()
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(map[string]string{
					"version": version, "revision": revision, "go": runtime.Version(),
				})
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "pawl %s %s %s\n", version, revision, runtime.Version())
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// buildVersion returns what the build knows of itself.
func buildVersion() (version, revision string) {
	version, revision = "devel", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, revision
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			revision = setting.Value
		}
	}
	return version, revision
}
