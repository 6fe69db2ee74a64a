package fakegithub

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// App is the GitHub App that callers are.
type App struct {
	ID   int64
	Slug string
	// Key is the public half of the App's private key.
	Key *rsa.PublicKey
	// TokenLife is how long a token of an installation lives; 0 is an hour.
	TokenLife time.Duration
}

// installation is an App on some repositories.
type installation struct {
	id           int64
	repositories map[string]bool
	suspended    bool
}

// Credentials of calls. That of an installation is InstallationCredential.
const (
	TokenCredential = "token"
	AppCredential   = "app"
)

// InstallationCredential names the credential of an installation.
func InstallationCredential(id int64) string { return fmt.Sprintf("installation %d", id) }

// maxJWT is the longest life of a JWT that GitHub takes.
const maxJWT = 10 * time.Minute

type credentialKey struct{}

func withCredential(ctx context.Context, credential string) context.Context {
	return context.WithValue(ctx, credentialKey{}, credential)
}

func credentialOf(ctx context.Context) string {
	credential, _ := ctx.Value(credentialKey{}).(string)
	return credential
}

// admit says whose call it is, and why it is refused.
func (s *Server) admit(r *http.Request, to route) (string, *reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	credential, holder, refusal := s.identify(r, to)
	if refusal != nil {
		return credential, refusal
	}
	if refusal := s.spend(credential); refusal != nil {
		return credential, refusal
	}
	if holder != nil && holder.suspended {
		return credential, refused(failure(http.StatusForbidden, "This installation has been suspended"))
	}
	if name := r.PathValue("owner") + "/" + r.PathValue("repo"); holder != nil && name != "/" && !holder.repositories[name] {
		return credential, refused(notFound())
	}
	return credential, s.permit(to)
}

func (s *Server) identify(r *http.Request, to route) (string, *installation, *reply) {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	known := strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "token")
	switch {
	case s.config.App != nil && to.asApp:
		if why := s.config.App.verify(given); why != "" {
			return AppCredential, nil, refused(failure(http.StatusUnauthorized, why))
		}
		return AppCredential, nil, nil
	case to.asApp:
		return TokenCredential, nil, refused(failure(http.StatusUnauthorized, "A JSON web token could not be decoded"))
	case s.config.App != nil:
		holder := s.tokens[given]
		if holder == nil || !known {
			return "", nil, refused(failure(http.StatusUnauthorized, "Bad credentials"))
		}
		return InstallationCredential(holder.id), holder, nil
	case s.config.Token != "" && (!known || given != s.config.Token):
		return TokenCredential, nil, refused(failure(http.StatusUnauthorized, "Bad credentials"))
	}
	return TokenCredential, nil, nil
}

// permit refuses what was denied, and names what would do.
func (s *Server) permit(to route) *reply {
	if to.permissions == "" {
		return nil
	}
	for permission := range strings.SplitSeq(to.permissions, "; ") {
		if !s.denied[permission] {
			return nil
		}
	}
	answer := failure(http.StatusForbidden, "Resource not accessible by integration")
	answer.header = http.Header{"X-Accepted-Github-Permissions": {to.permissions}}
	return &answer
}

func refused(answer reply) *reply { return &answer }

// verify checks a JWT as GitHub does: RS256, issued by the App, not older and
// not longer than ten minutes. It returns what is wrong.
func (a *App) verify(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "A JSON web token could not be decoded"
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(a.Key, crypto.SHA256, sum[:], signature) != nil {
		return "A JSON web token could not be decoded"
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "A JSON web token could not be decoded"
	}
	var claims struct {
		Iss      json.RawMessage
		Iat, Exp int64
	}
	if err := json.Unmarshal(raw, &claims); err != nil {
		return "A JSON web token could not be decoded"
	}
	now := time.Now()
	switch {
	case strings.Trim(string(claims.Iss), `"`) != strconv.FormatInt(a.ID, 10):
		return "'Issuer' claim ('iss') must be an Integer"
	case time.Unix(claims.Exp, 0).Before(now):
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	case time.Unix(claims.Exp, 0).After(now.Add(maxJWT)):
		return "'Expiration time' claim ('exp') is too far in the future"
	}
	return ""
}

func (s *Server) getApp(*http.Request) reply {
	return reply{status: http.StatusOK, body: object{"id": s.config.App.ID, "slug": s.config.App.Slug, "name": s.config.App.Slug}}
}

func (s *Server) getInstallation(r *http.Request) reply {
	name := r.PathValue("owner") + "/" + r.PathValue("repo")
	for _, holder := range s.installations {
		if !holder.repositories[name] {
			continue
		}
		body := object{"id": holder.id, "app_id": s.config.App.ID, "app_slug": s.config.App.Slug, "suspended_at": nil}
		if holder.suspended {
			body["suspended_at"] = moment(s.clock)
		}
		return reply{status: http.StatusOK, body: body}
	}
	return notFound()
}

func (s *Server) postAccessToken(r *http.Request) reply {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	holder := s.installations[id]
	switch {
	case holder == nil:
		return notFound()
	case holder.suspended:
		return failure(http.StatusForbidden, "This installation has been suspended")
	}
	token := fmt.Sprintf("ghs_%d_%d", id, s.id())
	s.tokens[token] = holder
	life := s.config.App.TokenLife
	if life == 0 {
		life = time.Hour
	}
	return reply{status: http.StatusCreated, body: object{"token": token, "expires_at": moment(time.Now().Add(life))}}
}

// Install installs the App on repositories under an id.
func (s *Server) Install(id int64, repositories ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	holder := &installation{id: id, repositories: make(map[string]bool)}
	for _, name := range repositories {
		holder.repositories[name] = true
	}
	s.installations[id] = holder
}

// Uninstall takes an installation away; its tokens are worth nothing any more.
func (s *Server) Uninstall(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token, holder := range s.tokens {
		if holder.id == id {
			delete(s.tokens, token)
		}
	}
	delete(s.installations, id)
}

// Suspend suspends an installation, or ends that.
func (s *Server) Suspend(id int64, suspended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.installations[id].suspended = suspended
}

// Deny takes permissions away, such as "checks=write".
func (s *Server) Deny(permissions ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, permission := range permissions {
		s.denied[permission] = true
	}
}
