package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"pawl/actuator"
	"pawl/actuator/rules"
	"pawl/internal/provider"
	"pawl/internal/provider/gitea"
	"pawl/internal/provider/github"
	"pawl/internal/provider/gitlab"
	"pawl/internal/provider/linear"
	"pawl/schemas"
)

// Provider is how to act at an instance: with a token, or as a GitHub App.
type Provider struct {
	// Provider is github, gitlab, gitea or linear; see Config.ProviderAt.
	Provider   string `yaml:"provider,omitempty"`
	Token      Secret `yaml:"token,omitempty"`
	AppID      int    `yaml:"app_id,omitempty"`
	PrivateKey Secret `yaml:"private_key,omitempty"`
	BaseURL    string `yaml:"base_url,omitempty"`
	Login      string `yaml:"login,omitempty"`
}

// IsApp reports whether it acts as a GitHub App.
func (p Provider) IsApp() bool { return p.AppID != 0 || p.PrivateKey != "" }

// actors are the providers that can be acted at.
func actors() []string { return []string{github.Name, gitlab.Name, gitea.Name, linear.Name} }

// IsTracker reports whether a provider is an issue tracker, where only comments are
// mirrored.
func IsTracker(provider string) bool { return provider == linear.Name }

// ProviderAt returns which provider an instance is: as its settings say, else by
// the host, else that of the sources with the instance, else github.
func (c *Config) ProviderAt(instance string) string {
	if said := c.Providers[instance].Provider; said != "" {
		return said
	}
	for _, name := range actors() {
		if known, ok := provider.ByName(name); ok && known.DefaultInstance() == instance {
			return name
		}
	}
	for _, source := range c.Sources {
		if source.Instance == instance {
			return source.Provider
		}
	}
	return github.Name
}

// validateProviders tells what is wrong with how to act, instance by instance.
func (c *Config) validateProviders(fault func(path, format string, args ...any)) {
	for _, instance := range slices.Sorted(maps.Keys(c.Providers)) {
		path, p, kind := "providers."+instance, c.Providers[instance], c.ProviderAt(instance)
		if !slices.Contains(actors(), kind) {
			fault(within(path, "provider", p.Provider), "%s: provider is %q, want %s", path, kind, strings.Join(actors(), ", "))
			continue
		}
		if what := credentialFault(kind, p); what != "" {
			fault(path, "%s %s", path, what)
		}
		if what := addressFault(p.BaseURL); what != "" {
			fault(path+".base_url", "%s.base_url %s", path, what)
		}
	}
}

// supported tells what rules want of an instance whose provider has no such
// thing.
func (c *Config) supported(set *rules.Set) error {
	if len(c.Providers) == 0 {
		return nil
	}
	instances, trackers := make(map[string]func(schemas.MutationKind) bool), make(map[string]bool)
	for instance := range c.Providers {
		kind := c.ProviderAt(instance)
		if IsTracker(kind) {
			trackers[instance] = true // no pull request is there
			continue
		}
		instances[instance] = actuator.Supports(kind)
	}
	var faults []error
	for _, fault := range append(set.Supported(instances), set.Untracked(trackers)...) {
		faults = append(faults, errors.New(fault.String()))
	}
	return errors.Join(faults...)
}

// within is the path of a setting where it is said, else of what holds it.
func within(path, setting, said string) string {
	if said == "" {
		return path
	}
	return path + "." + setting
}

// credentialFault says what is wrong with the way to prove who we are.
func credentialFault(kind string, p Provider) string {
	switch {
	case p.Token != "" && p.IsApp():
		return "has a token and app_id or private_key: keep one way"
	case p.IsApp() && kind != github.Name:
		return fmt.Sprintf("has app_id or private_key, which are for GitHub Apps, and is a %s: give it a token", kind)
	case p.AppID < 0:
		return "has an app_id below zero: it stands on the App's page at GitHub"
	case p.IsApp() && p.AppID == 0:
		return "has a private_key and no app_id: an App needs both"
	case p.IsApp() && p.PrivateKey == "":
		return "has an app_id and no private_key: an App needs both"
	case p.IsApp() || p.Token != "":
		return ""
	case kind == github.Name:
		return "has no token: add token, or app_id and private_key"
	}
	return "has no token: add token"
}

// addressFault says what is wrong with the address of an API.
func addressFault(text string) string {
	at, err := url.Parse(text)
	switch {
	case text == "":
		return ""
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return "is no address such as https://git.example.com/"
	case at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return "must not hold a user, a query or a fragment: the token goes under token"
	}
	return ""
}
