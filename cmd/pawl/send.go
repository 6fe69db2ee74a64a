package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pawl/internal/config"
	"pawl/internal/provider"
	"pawl/internal/provider/webhook"
	"pawl/internal/sign"
	"pawl/internal/story"
)

// sender posts deliveries to an ingest.
type sender struct {
	url     string // of the ingest, without /webhooks/
	source  string // overrides the source a file names
	event   string // of a JSON body
	id      string // delivery id of a JSON body
	secret  string // reference; empty: the source's own in the configuration
	asJSON  bool
	sources map[string]config.Source // of the configuration
}

// defaultSecret signs where neither the command nor the configuration says what.
const defaultSecret config.Secret = "env:PAWL_GITHUB_SECRET"

func newSend() *cobra.Command {
	s := new(sender)
	command := &cobra.Command{
		Use:   "send FILE…",
		Short: "Post recorded deliveries, signed, to an ingest",
		Long: "A FILE is a delivery as HTTP text (.http), a story whose deliveries are sent in order (.txtar), or a JSON body\n" +
			"(.json, with --event unless it is of a status page). Each is signed as the provider of its source signs: that of the configuration, else that of\n" +
			"the story, else the one that the source is named after.",
		Example: "  PAWL_GITHUB_SECRET=… pawl send --secret env:PAWL_GITHUB_SECRET stories/lost_reopened.txtar\n" +
			"  pawl send --url http://127.0.0.1:8080 --secret env:S --event pull_request body.json\n" +
			"  pawl send --secret env:S --source gitlab --event 'Merge Request Hook' body.json",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := s.configure(c); err != nil {
				return err
			}
			return s.sendFiles(c.Context(), c.OutOrStdout(), args)
		},
	}
	command.Flags().StringVar(&s.url, "url", "http://127.0.0.1:8080", "address of the ingest")
	command.Flags().StringVar(&s.secret, "secret", "", "secret to sign with, env:NAME or file:PATH; default: the source's first in the\n"+
		"configuration, or "+string(defaultSecret))
	command.Flags().StringVar(&s.source, "source", "", "source to post to; default: what the file names, or github")
	command.Flags().StringVar(&s.event, "event", "", "event of a JSON body, as the provider names it: pull_request, 'Merge Request Hook'")
	command.Flags().StringVar(&s.id, "delivery", "", "delivery id of a JSON body; default: a new one")
	command.Flags().BoolVar(&s.asJSON, "json", false, "print JSON")
	return command
}

// configure reads which sources there are.
func (s *sender) configure(command *cobra.Command) error {
	if s.secret != "" && !config.Secret(s.secret).IsReference() {
		return &usageError{errors.New("--secret: name the webhook's secret as env:NAME or file:PATH")}
	}
	file, err := command.Flags().GetString("config")
	if err != nil {
		return err
	}
	loaded, err := (&flags{configFile: file}).load()
	if err != nil {
		return err
	}
	s.sources = make(map[string]config.Source)
	for _, source := range loaded.Sources {
		s.sources[source.Name] = source
	}
	return nil
}

// secretOf resolves what a source's deliveries are signed with.
func (s *sender) secretOf(source string) (string, error) {
	reference := cmp.Or(config.Secret(s.secret), defaultSecret)
	if configured := s.sources[source].Secrets; s.secret == "" && len(configured) > 0 {
		reference = configured[0]
	}
	value, err := reference.Resolve()
	if err != nil {
		return "", &usageError{fmt.Errorf("secret of source %s: %w; name it by --secret, as env:NAME or file:PATH", source, err)}
	}
	return value, nil
}

// providerOf returns how a source's deliveries are signed.
func (s *sender) providerOf(source, told string) (string, error) {
	name := cmp.Or(s.sources[source].Provider, told, source)
	if _, known := provider.ByName(name); !known {
		return "", &usageError{fmt.Errorf("source %s: its provider is not known; put the source into the configuration, with one of %s",
			source, strings.Join(provider.Names(), ", "))}
	}
	return name, nil
}

// errNotDelivery is returned for a file that holds no delivery.
var errNotDelivery = errors.New("holds no delivery: want a NN.http file, a story with some, or a JSON body with --event")

// sent is the answer to one delivery.
type sent struct {
	Delivery string `json:"delivery"`
	Status   int    `json:"status"`
	Answer   string `json:"answer"`
}

// outgoing is a delivery on its way to a source.
type outgoing struct {
	story.Delivery
	provider string
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
func (s *sender) read(file string) ([]outgoing, error) {
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
		return s.address(parsed.Deliveries, parsed.Sources)
	case ".http":
		delivery, err := story.ParseHTTP(data)
		if err != nil {
			return nil, err
		}
		delivery.Name = name
		return s.address([]story.Delivery{delivery}, nil)
	case ".json":
		return s.readJSON(name, data)
	}
	return nil, errNotDelivery
}

// address settles to which source each delivery goes, and of which provider that
// is.
func (s *sender) address(deliveries []story.Delivery, told map[string]story.Source) ([]outgoing, error) {
	addressed := make([]outgoing, 0, len(deliveries))
	for _, delivery := range deliveries {
		by, err := s.providerOf(cmp.Or(s.source, delivery.Source), told[delivery.Source].Provider)
		if err != nil {
			return nil, err
		}
		delivery.Source = cmp.Or(s.source, delivery.Source)
		addressed = append(addressed, outgoing{delivery, by})
	}
	return addressed, nil
}

func (s *sender) readJSON(name string, body []byte) ([]outgoing, error) {
	addressed, err := s.address([]story.Delivery{{Name: name, Source: "github", Header: http.Header{}, Body: body}}, nil)
	if err != nil {
		return nil, err
	}
	if of, _ := provider.ByName(addressed[0].provider); s.event == "" && !provider.TakesToken(of) {
		return nil, errors.New("a JSON body needs --event")
	}
	return addressed, sign.Name(addressed[0].provider, addressed[0].Header, s.event, cmp.Or(s.id, rand.Text()))
}

// post signs and sends one delivery.
func (s *sender) post(ctx context.Context, delivery outgoing) (sent, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	secret, err := s.secretOf(delivery.Source)
	if err != nil {
		return sent{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.addressOf(delivery, secret), bytes.NewReader(delivery.Body))
	if err != nil {
		return sent{}, withoutURL(err)
	}
	request.Header = delivery.Header.Clone()
	if request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", string(webhook.JSON))
	}
	if err := sign.Sign(delivery.provider, webhook.Delivery{
		Header: request.Header, Raw: delivery.Body, ContentType: request.Header.Get("Content-Type"), ReceivedAt: time.Now(),
	}, []byte(secret)); err != nil {
		return sent{}, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return sent{}, withoutURL(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if err != nil {
		return sent{}, err
	}
	return sent{Delivery: delivery.Name, Status: response.StatusCode, Answer: strings.TrimSpace(string(answer))}, nil
}

// addressOf returns the URL that a delivery is posted to, with the token of a
// provider that has one.
func (s *sender) addressOf(delivery outgoing, secret string) string {
	address := strings.TrimSuffix(s.url, "/") + "/webhooks/" + delivery.Source
	if token := sign.Token(delivery.provider, []byte(secret)); token != "" {
		address += "/" + url.PathEscape(token)
	}
	return address
}

// withoutURL leaves the URL out of an error: its path may have a token.
func withoutURL(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

func (s *sender) print(out io.Writer, answer sent) error {
	if s.asJSON {
		return json.NewEncoder(out).Encode(answer)
	}
	_, err := fmt.Fprintf(out, "%s %d %s\n", answer.Delivery, answer.Status, answer.Answer)
	return err
}
