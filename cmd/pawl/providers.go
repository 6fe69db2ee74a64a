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

// providers returns the clients of the instances. An instance whose secret is
// not there is a fault in mode act; in mode plan nobody is called, and it is
// left out. They are made once.
func (i *installation) providers() (map[string]actuator.Provider, error) {
	if i.clients != nil {
		return i.clients, nil
	}
	made := make(map[string]actuator.Provider)
	var missing []error
	for _, instance := range slices.Sorted(maps.Keys(i.config.Providers)) {
		settings := i.config.Providers[instance]
		held, err := credentialsOf(settings)
		if err != nil {
			missing = append(missing, fmt.Errorf("providers.%s.%w", instance, err))
			continue
		}
		client, err := i.client(instance, settings, held)
		if err != nil {
			return nil, &usageError{err}
		}
		made[instance] = client
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
