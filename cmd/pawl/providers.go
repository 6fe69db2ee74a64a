package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"pawl/actuator"
	"pawl/actuator/rules"
	"pawl/internal/config"
	"pawl/internal/provider/gitea"
	"pawl/internal/provider/gitlab"
)

// clients are those that act, by instance.
type clients struct {
	providers map[string]actuator.Provider
	trackers  map[string]actuator.Tracker
}

// acting returns the clients of the instances. An instance whose secret is
// not there is a fault in mode act; in mode plan nobody is called, and it is
// left out. They are made once.
func (i *installation) acting() (*clients, error) {
	if i.clients != nil {
		return i.clients, nil
	}
	made := &clients{make(map[string]actuator.Provider), make(map[string]actuator.Tracker)}
	var missing []error
	for _, instance := range slices.Sorted(maps.Keys(i.config.Providers)) {
		settings := i.config.Providers[instance]
		held, err := credentialsOf(settings)
		if err != nil {
			missing = append(missing, fmt.Errorf("providers.%s.%w", instance, err))
			continue
		}
		if err := i.add(made, instance, settings, held); err != nil {
			return nil, &usageError{err}
		}
	}
	i.unarmed = errors.Join(missing...)
	if i.unarmed != nil && i.config.Mode == rules.ModeAct {
		return nil, &usageError{i.unarmed}
	}
	i.clients = made
	return made, nil
}

// accept refuses rules that would act without the secrets for it: they are
// resolved at the start alone.
func (i *installation) accept(next *config.Config) error {
	if i.unarmed == nil || next.Mode != rules.ModeAct {
		return nil
	}
	return fmt.Errorf("mode act was not possible at the start, mend it and restart: %w", i.unarmed)
}

// credentials are who we are at an instance.
type credentials struct {
	token      string
	privateKey []byte
}

func credentialsOf(settings config.Provider) (credentials, error) {
	if settings.IsApp() {
		key, err := settings.PrivateKey.Resolve()
		if err != nil {
			return credentials{}, fmt.Errorf("private_key: %w", err)
		}
		return credentials{privateKey: []byte(key)}, nil
	}
	token, err := settings.Token.Resolve()
	if err != nil {
		return credentials{}, fmt.Errorf("token: %w", err)
	}
	return credentials{token: token}, nil
}

func (i *installation) add(to *clients, instance string, settings config.Provider, held credentials) (err error) {
	if config.IsTracker(i.config.ProviderAt(instance)) {
		to.trackers[instance], err = actuator.NewLinear(actuator.LinearConfig{
			Instance: instance, BaseURL: settings.BaseURL, Token: held.token,
		}, i.registry)
		return err
	}
	to.providers[instance], err = i.client(instance, settings, held)
	return err
}

func (i *installation) client(instance string, settings config.Provider, held credentials) (actuator.Provider, error) {
	switch i.config.ProviderAt(instance) {
	case gitlab.Name:
		return actuator.NewGitLab(actuator.GitLabConfig{
			Instance: instance, BaseURL: settings.BaseURL, Token: held.token, Login: settings.Login,
		}, i.registry)
	case gitea.Name:
		return actuator.NewGitea(actuator.GiteaConfig{
			Instance: instance, BaseURL: settings.BaseURL, Token: held.token, Login: settings.Login,
		}, i.registry)
	}
	return actuator.NewGitHub(actuator.GitHubConfig{
		Instance: instance, BaseURL: settings.BaseURL, Token: held.token, AppID: int64(settings.AppID),
		PrivateKey: held.privateKey, Login: settings.Login,
	}, i.registry)
}
