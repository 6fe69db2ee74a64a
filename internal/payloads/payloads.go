// Package payloads turns real payloads into deliveries, for the proof that Pawl
// reads them.
//
// The payloads lie beside the project, in ../shared/payloads, and are no part of
// it: of what is in them, nothing is here but their names. They are bodies alone.
// The headers that came with them are lost, and are derived here, in one place,
// from the folder, the file's name and the body:
//
//	folder ─▶ forge ─▶ provider, host
//	body   ─▶ event of GitHub, GitLab, Gitea, Bitbucket Data Center and Linear
//	name   ─▶ event of Bitbucket Cloud, whose bodies do not tell
//
// Statuspage has no headers of its own.
//
// The proof is in the tests. It writes docs/payloads.md, which says what became
// of each: make payloads. Where the folder is not there, it is skipped.
package payloads

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Forge is a folder of payloads: a provider, or one of its products.
type Forge string

// The forges whose payloads are sent.
const (
	GitHub          Forge = "github"
	GitLab          Forge = "gitlab"
	Gitea           Forge = "gitea"
	Bitbucket       Forge = "bitbucket"
	BitbucketServer Forge = "bitbucket-server"
	Statuspage      Forge = "statuspage"
	Linear          Forge = "linear"
)

// Forges returns the forges in the order in which they are told of.
func Forges() []Forge {
	return []Forge{GitHub, GitLab, Gitea, Bitbucket, BitbucketServer, Statuspage, Linear}
}

// Provider returns the name of the provider that reads the forge's deliveries.
func (f Forge) Provider() string {
	if f == BitbucketServer {
		return string(Bitbucket)
	}
	return string(f)
}

// Host returns the host that the forge's payloads name in their addresses, where
// they name one. Gitea's and Data Center's are of many.
func (f Forge) Host() string {
	switch f {
	case GitHub:
		return "github.com"
	case GitLab:
		return "gitlab.com"
	case Gitea:
		return "try.gitea.io"
	case Bitbucket:
		return "bitbucket.org"
	case BitbucketServer:
		return "bitbucket.example.com"
	case Statuspage:
		return "statuspage.io"
	case Linear:
		return "linear.app"
	}
	return ""
}

// Sample is one real payload.
type Sample struct {
	// Name is the path in the folder of payloads: github/octokit/ping.payload.json.
	Name string
	Body []byte
	body fields
}

// Forge returns the forge that the sample is of, or the name of its folder.
func (s Sample) Forge() Forge {
	first, _, _ := strings.Cut(s.Name, "/")
	return Forge(first)
}

// IsSent reports whether there is a provider that reads the sample.
func (s Sample) IsSent() bool { return slices.Contains(Forges(), s.Forge()) }

// fields are the members of a body.
type fields map[string]json.RawMessage

// has reports whether all members are there and not null.
func (f fields) has(names ...string) bool {
	for _, name := range names {
		if value, ok := f[name]; !ok || string(value) == "null" {
			return false
		}
	}
	return true
}

// text returns a member that is a text, or "".
func (f fields) text(name string) string {
	var value string
	if json.Unmarshal(f[name], &value) != nil {
		return ""
	}
	return value
}

// within returns the members of a member, none where it is no object.
func (f fields) within(name string) fields {
	var value fields
	if json.Unmarshal(f[name], &value) != nil {
		return nil
	}
	return value
}

// Read returns the payloads of a folder, sorted by name.
func Read(folder fs.FS) ([]Sample, error) {
	var samples []Sample
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		body, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		sample := Sample{Name: name, Body: body}
		if err := json.Unmarshal(body, &sample.body); err != nil {
			return fmt.Errorf("read payload %s: %w", name, err)
		}
		samples = append(samples, sample)
		return nil
	})
	slices.SortFunc(samples, func(a, b Sample) int { return strings.Compare(a.Name, b.Name) })
	return samples, err
}
