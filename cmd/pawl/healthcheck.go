package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

func newHealthcheck(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:     "healthcheck",
		Short:   "Ask the process on this machine whether it is ready; exit 0 or 1",
		Long:    "GET /readyz on the port of listen.operations. For containers without a shell.",
		Example: "  pawl healthcheck",
		RunE: func(c *cobra.Command, _ []string) error {
			loaded, err := f.load()
			if err != nil {
				return err
			}
			_, port, err := net.SplitHostPort(loaded.Listen.Operations)
			if err != nil {
				return &usageError{fmt.Errorf("listen.operations: %w", err)}
			}
			return askReady(c, "http://"+net.JoinHostPort("127.0.0.1", port)+"/readyz")
		},
	}
}

func askReady(command *cobra.Command, url string) error {
	ctx, cancel := context.WithTimeout(command.Context(), 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(command.OutOrStdout(), io.LimitReader(response.Body, 1<<16)); err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		return errNo
	}
	return nil
}
