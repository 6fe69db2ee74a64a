package story

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"golang.org/x/tools/txtar"

	"pawl/internal/links"
	"pawl/projector"
)

// Story is one parsed story.
type Story struct {
	Name       string
	Rules      []byte // pawl.yaml as written; nil where the story has none
	Sources    map[string]Source
	Deliveries []Delivery
	Want       Want

	findLinks projector.FindLinks
}

// Source is a configured webhook that deliveries may name in their path.
type Source struct {
	Name     string `yaml:"name"`
	Provider string `yaml:"provider"`
	Instance string `yaml:"instance"`
	// TrackerKeys finds the keys of an issue tracker. Empty finds none; nil is
	// the default of package links.
	TrackerKeys *string `yaml:"tracker_keys"`
}

// Delivery is one request of a story.
type Delivery struct {
	Name       string // the file's name without .http
	Source     string // the last part of the path
	Header     http.Header
	Body       []byte
	ReceivedAt time.Time
}

// ErrStory is wrapped by every error about a story that cannot be read.
var ErrStory = errors.New("story cannot be read")

// receivedAtHeader sets the time of receipt of a delivery (RFC 3339).
const receivedAtHeader = "Pawl-Received-At"

// firstReceived is when the first delivery arrives unless it says otherwise; the
// others follow a second apart.
var firstReceived = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// defaultProviders are the sources that exist without a sources section, each
// named after its provider.
var defaultProviders = []string{"github", "gitlab", "gitea", "bitbucket", "statuspage", "linear"}

// Parse reads a story. The error names the file of the archive and every fault.
func Parse(name string, data []byte) (*Story, error) {
	archive := txtar.Parse(data)
	made := &Story{Name: name}
	var faults []error
	hasWant := false
	for _, file := range archive.Files {
		var err error
		switch {
		case file.Name == "pawl.yaml":
			made.Rules = file.Data
		case file.Name == "want.yaml":
			hasWant = true
			made.Want, err = parseWant(file.Data)
		case path.Ext(file.Name) == ".http":
			err = made.addDelivery(file)
		default:
			err = errors.New("is none of pawl.yaml, want.yaml, NN.http")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", file.Name, err))
		}
	}
	if len(made.Deliveries) == 0 && len(faults) == 0 {
		faults = append(faults, errors.New("there is no NN.http file: a story is a txtar archive, its files begin with a line \"-- NAME --\""))
	}
	if !hasWant {
		faults = append(faults, errors.New("there is no want.yaml"))
	}
	faults = append(faults, made.finish())
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrStory, name, err)
	}
	return made, nil
}

func (s *Story) addDelivery(file txtar.File) error {
	delivery, err := ParseHTTP(file.Data)
	if err != nil {
		return err
	}
	delivery.Name = strings.TrimSuffix(file.Name, ".http")
	s.Deliveries = append(s.Deliveries, delivery)
	return nil
}

// finish puts the deliveries in order, gives each a time, and reads the sources.
func (s *Story) finish() error {
	slices.SortStableFunc(s.Deliveries, func(a, b Delivery) int { return strings.Compare(a.Name, b.Name) })
	var faults []error
	for i := range s.Deliveries {
		if s.Deliveries[i].ReceivedAt.IsZero() {
			s.Deliveries[i].ReceivedAt = firstReceived.Add(time.Duration(i) * time.Second)
		}
		if i > 0 && s.Deliveries[i].Name == s.Deliveries[i-1].Name {
			faults = append(faults, fmt.Errorf("%s.http stands in it twice", s.Deliveries[i].Name))
		}
	}
	var err error
	if s.Sources, err = parseSources(s.Rules); err != nil {
		faults = append(faults, fmt.Errorf("pawl.yaml: %w", err))
	}
	finder, err := links.NewFinder(trackerKeys(s.Sources))
	if err != nil {
		faults = append(faults, fmt.Errorf("pawl.yaml: %w", err))
	}
	s.findLinks = finder.Of
	return errors.Join(faults...)
}

func parseSources(config []byte) (map[string]Source, error) {
	var section struct {
		Sources []Source `yaml:"sources"`
	}
	if err := yaml.Unmarshal(config, &section); err != nil {
		return nil, err
	}
	if section.Sources == nil {
		for _, name := range defaultProviders {
			section.Sources = append(section.Sources, Source{Name: name, Provider: name})
		}
	}
	sources := make(map[string]Source)
	for _, source := range section.Sources {
		sources[source.Name] = source
	}
	return sources, nil
}

// trackerKeys returns the patterns of the sources that state one.
func trackerKeys(sources map[string]Source) map[string]string {
	patterns := make(map[string]string)
	for name, source := range sources {
		if source.TrackerKeys != nil {
			patterns[name] = *source.TrackerKeys
		}
	}
	return patterns
}

// ParseHTTP reads a delivery as HTTP text: a request line, headers, an empty
// line, the body. Lines end in LF or CRLF; Content-Length is not needed, and the
// body is taken as it stands, less the line ends after it.
func ParseHTTP(data []byte) (Delivery, error) {
	head, body := cutHead(data)
	lines := bufio.NewScanner(bytes.NewReader(head))
	lines.Buffer(nil, len(head)+1)
	if !lines.Scan() {
		return Delivery{}, errors.New("is empty, want a line POST /webhooks/SOURCE")
	}
	made := Delivery{Header: make(http.Header), Body: bytes.TrimRight(body, "\r\n")}
	var err error
	if made.Source, err = parseRequestLine(lines.Text()); err != nil {
		return Delivery{}, err
	}
	for number := 2; lines.Scan(); number++ {
		name, value, ok := strings.Cut(lines.Text(), ":")
		if !ok || strings.TrimSpace(name) != name || name == "" {
			return Delivery{}, fmt.Errorf("line %d: %q is no header, want NAME: VALUE", number, lines.Text())
		}
		made.Header.Add(name, strings.TrimSpace(value))
	}
	if text := made.Header.Get(receivedAtHeader); text != "" {
		if made.ReceivedAt, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return Delivery{}, fmt.Errorf("header %s: %q is not an RFC 3339 time", receivedAtHeader, text)
		}
		made.Header.Del(receivedAtHeader)
	}
	return made, nil
}

// cutHead splits a request at its first empty line.
func cutHead(data []byte) (head, body []byte) {
	for at := 0; at < len(data); {
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			break
		}
		if len(bytes.TrimRight(data[at:at+end], "\r")) == 0 {
			return data[:at], data[at+end+1:]
		}
		at += end + 1
	}
	return data, nil
}

func parseRequestLine(line string) (source string, err error) {
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] != http.MethodPost {
		return "", fmt.Errorf("line 1: %q, want POST /webhooks/SOURCE", line)
	}
	rest, ok := strings.CutPrefix(fields[1], "/webhooks/")
	source, _, _ = strings.Cut(rest, "/")
	if !ok || source == "" {
		return "", fmt.Errorf("line 1: path %q, want /webhooks/SOURCE", fields[1])
	}
	return source, nil
}
