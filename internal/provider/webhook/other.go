package webhook

import (
	"fmt"
	"net/http"
)

// ErrProvider means that the delivery is one of another provider than the
// source's (400). It is an ErrHeader too.
var ErrProvider = fmt.Errorf("%w: they are those of another provider", ErrHeader)

// marks are the headers that name the event of each provider, in the form that
// net/http keeps. Gitea's are first, since it sends those of Gogs and of GitHub
// as well (go-gitea/gitea, services/webhook/deliver.go), and Gogs and Forgejo,
// its kin, do the same.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var marks = [...]struct{ provider, header string }{
	{gitea, "X-Gitea-Event"},
	{gitea, "X-Forgejo-Event"},
	{gitea, "X-Gogs-Event"},
	{"gitlab", "X-Gitlab-Event"},
	{"bitbucket", "X-Event-Key"},
	{"linear", "Linear-Event"},
	{"betterstack", "X-Betteruptime-Event"},
	{github, "X-Github-Event"},
}

const (
	gitea  = "gitea"
	github = "github"
)

// SenderError says of which provider a delivery is that a source of another one
// got. It is an ErrProvider.
type SenderError struct{ Source, Provider, Other string }

func (e *SenderError) Error() string {
	return fmt.Sprintf("the delivery is of %s, but source %s is configured for provider %s; configure it for provider %s",
		e.Other, e.Source, e.Provider, e.Other)
}

// Unwrap makes it an ErrProvider.
func (e *SenderError) Unwrap() error { return ErrProvider }

// CheckSender refuses a delivery of another provider than the source's. Gitea
// sends GitHub's headers and a signature that a shared secret proves, but other
// payloads, whose ids would meet GitHub's under the same keys. What a delivery is
// read as is settled by the source, and one that is configured for the wrong
// provider is to be told so. The error is a *SenderError.
func CheckSender(in Delivery, name string) error {
	if other, found := OtherProvider(in.Header, name); found {
		return &SenderError{Source: in.Source, Provider: name, Other: other}
	}
	return nil
}

// OtherProvider returns the provider whose deliveries have these headers, if it
// is another than the given one. Headers prove nothing: it tells why a delivery
// is refused, and never which provider a delivery is read as. What bears the
// mark of the given provider is not of another one, save that GitHub's mark is
// on Gitea's deliveries too.
func OtherProvider(header http.Header, than string) (name string, found bool) {
	for _, mark := range marks {
		switch {
		case len(header[mark.header]) == 0:
		case name == "":
			name = mark.provider
		case mark.provider == than && (name != gitea || than != github):
			name = than
		}
	}
	if name == than {
		return "", false
	}
	return name, name != ""
}
