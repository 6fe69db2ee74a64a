package config

import (
	"fmt"
	"os"
	"strings"
)

// Secret is a reference to a secret, env:NAME or file:PATH, or a value that came
// from the environment. It prints as a reference or masked, never as a value.
type Secret string

const (
	envReference  = "env:"
	fileReference = "file:"
	masked        = "(secret)"
)

// IsReference reports whether s names where the secret is.
func (s Secret) IsReference() bool {
	return strings.HasPrefix(string(s), envReference) || strings.HasPrefix(string(s), fileReference)
}

// Resolve returns the secret itself. An empty secret is a fault: it protects
// nothing. The error names the reference.
func (s Secret) Resolve() (string, error) {
	if name, ok := strings.CutPrefix(string(s), envReference); ok {
		value := os.Getenv(name)
		if value == "" {
			return "", fmt.Errorf("%s is not set, or is empty", s)
		}
		return value, nil
	}
	if path, ok := strings.CutPrefix(string(s), fileReference); ok {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("%s: %w", s, err)
		}
		value := strings.TrimSpace(string(data))
		if value == "" {
			return "", fmt.Errorf("%s is empty", s)
		}
		return value, nil
	}
	return string(s), nil
}

// String returns the reference, or a mask.
func (s Secret) String() string {
	if s == "" || s.IsReference() {
		return string(s)
	}
	return masked
}

// MarshalYAML writes what String returns.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }
