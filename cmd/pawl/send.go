package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pawl/internal/config"
	"pawl/internal/story"
)

// sender posts deliveries to an ingest.
type sender struct {
	url    string // of the ingest, without /webhooks/
	source string // overrides the source a file names
	event  string // of a JSON body
	id     string // delivery id of a JSON body
	secret string
	asJSON bool
}

func newSend() *cobra.Command {
	s := new(sender)
	var reference string
	command := &cobra.Command{
		Use:   "send FILE…",
		Short: "Post recorded deliveries, signed, to an ingest",
		Long: "A FILE is a delivery as HTTP text (.http), a story whose deliveries are sent in order (.txtar), or a JSON body\n" +
			"(.json, with --event).",
		Example: "  PAWL_GITHUB_SECRET=… pawl send --secret env:PAWL_GITHUB_SECRET stories/lost_reopened.txtar\n" +
			"  pawl send --url http://127.0.0.1:8080 --secret env:S --event pull_request body.json",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			value, err := config.Secret(reference).Resolve()
			if err != nil || value == "" {
				return &usageError{fmt.Errorf("--secret: %w", errors.Join(err, errors.New("name the webhook's secret as env:NAME or file:PATH")))}
			}
			s.secret = value
			return s.sendFiles(c.Context(), c.OutOrStdout(), args)
		},
	}
	command.Flags().StringVar(&s.url, "url", "http://127.0.0.1:8080", "address of the ingest")
	command.Flags().StringVar(&reference, "secret", "env:PAWL_GITHUB_SECRET", "secret to sign with: env:NAME or file:PATH")
	command.Flags().StringVar(&s.source, "source", "", "source to post to; default: what the file names, or github")
	command.Flags().StringVar(&s.event, "event", "", "event of a JSON body: pull_request")
	command.Flags().StringVar(&s.id, "delivery", "", "delivery id of a JSON body; default: a new one")
	command.Flags().BoolVar(&s.asJSON, "json", false, "print JSON")
	return command
}

// errNotDelivery is returned for a file that holds no delivery.
var errNotDelivery = errors.New("holds no delivery: want a NN.http file, a story with some, or a JSON body with --event")

// sent is the answer to one delivery.
type sent struct {
	Delivery string `json:"delivery"`
	Status   int    `json:"status"`
	Answer   string `json:"answer"`
}

func (s *sender) sendFiles(ctx context.Context, out io.Writer, files []string) error {
	refused := false
	for _, file := range files {
		deliveries, err := s.read(file)
		if err != nil {
			return &usageError{fmt.Errorf("%s: %w", file, err)}
		}
		for _, delivery := range deliveries {
			answer, err := s.post(ctx, delivery)
			if err != nil {
				return fmt.Errorf("send %s of %s: %w", delivery.Name, file, err)
			}
			refused = refused || answer.Status/100 != 2
			if err := s.print(out, answer); err != nil {
				return err
			}
		}
	}
	if refused {
		return errNo
	}
	return nil
}

// read returns the deliveries of a file.
func (s *sender) read(file string) ([]story.Delivery, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	switch filepath.Ext(file) {
	case ".txtar":
		parsed, err := story.Parse(name, data)
		if err != nil {
			return nil, err
		}
		return parsed.Deliveries, nil
	case ".http":
		delivery, err := story.ParseHTTP(data)
		delivery.Name = name
		return []story.Delivery{delivery}, err
	case ".json":
		if s.event == "" {
			return nil, errors.New("a JSON body needs --event")
		}
		return []story.Delivery{s.jsonDelivery(name, data)}, nil
	}
	return nil, errNotDelivery
}

func (s *sender) jsonDelivery(name string, body []byte) story.Delivery {
	id := s.id
	if id == "" {
		id = rand.Text()
	}
	header := http.Header{}
	header.Set("X-GitHub-Event", s.event)
	header.Set("X-GitHub-Delivery", id)
	return story.Delivery{Name: name, Source: "github", Header: header, Body: body}
}

// post signs and sends one delivery.
func (s *sender) post(ctx context.Context, delivery story.Delivery) (sent, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	source := delivery.Source
	if s.source != "" {
		source = s.source
	}
	url := strings.TrimSuffix(s.url, "/") + "/webhooks/" + source
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(delivery.Body))
	if err != nil {
		return sent{}, err
	}
	request.Header = delivery.Header.Clone()
	if request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("X-Hub-Signature-256", signature(s.secret, delivery.Body))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return sent{}, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		return sent{}, err
	}
	return sent{Delivery: delivery.Name, Status: response.StatusCode, Answer: strings.TrimSpace(string(answer))}, nil
}

// signature is X-Hub-Signature-256 (docs.github.com, "Validating webhook
// deliveries").
func signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func (s *sender) print(out io.Writer, answer sent) error {
	if s.asJSON {
		return json.NewEncoder(out).Encode(answer)
	}
	_, err := fmt.Fprintf(out, "%s %d %s\n", answer.Delivery, answer.Status, answer.Answer)
	return err
}
