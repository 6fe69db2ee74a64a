package schemas_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pawl/schemas"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		key  schemas.EntityKey
		want schemas.ParsedKey
	}{
		{
			name: "pull request",
			key:  "github.com:186853002#2",
			want: schemas.ParsedKey{Kind: schemas.KeyPullRequest, Instance: "github.com", Repository: "186853002", Number: 2},
		},
		{
			name: "commit",
			key:  "github.com:186853002@6dcb09b5",
			want: schemas.ParsedKey{Kind: schemas.KeyCommit, Instance: "github.com", Repository: "186853002", SHA: "6dcb09b5"},
		},
		{
			name: "repository",
			key:  "github.com:186853002",
			want: schemas.ParsedKey{Kind: schemas.KeyRepository, Instance: "github.com", Repository: "186853002"},
		},
		{
			name: "instance",
			key:  "github.com",
			want: schemas.ParsedKey{Kind: schemas.KeyInstance, Instance: "github.com"},
		},
		{
			name: "comment",
			key:  "github.com:comment/17",
			want: schemas.ParsedKey{Kind: schemas.KeyComment, Instance: "github.com", Comment: "17"},
		},
		{
			name: "component of a status page",
			key:  "statuspage.io:pg1/c1",
			want: schemas.ParsedKey{Kind: schemas.KeyComponent, Instance: "statuspage.io", Page: "pg1", Component: "c1"},
		},
		{
			name: "incident of a status page",
			key:  "statuspage.io:pg1!i1",
			want: schemas.ParsedKey{Kind: schemas.KeyIncident, Instance: "statuspage.io", Page: "pg1", Incident: "i1"},
		},
		{
			name: "an instance with a port",
			key:  "ghe.example.com:8443:101#7",
			want: schemas.ParsedKey{Kind: schemas.KeyPullRequest, Instance: "ghe.example.com:8443", Repository: "101", Number: 7},
		},
		{
			name: "a repository id that is no number",
			key:  "bitbucket.org:{8f2a-11}#7",
			want: schemas.ParsedKey{Kind: schemas.KeyPullRequest, Instance: "bitbucket.org", Repository: "{8f2a-11}", Number: 7},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := schemas.ParseKey(test.key)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("ParseKey(%q), -got +want:\n%s", test.key, diff)
			}
			if got.String() != string(test.key) {
				t.Errorf("String() = %q, want the key %q", got.String(), test.key)
			}
		})
	}
}

func TestParseKey_RefusesWhatIsNoKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, key string }{
		{"empty", ""},
		{"no instance", ":101#7"},
		{"nothing after the instance", "github.com:"},
		{"the name people use", "acme/api#7"},
		{"no repository", "github.com:#7"},
		{"no number", "github.com:101#"},
		{"number zero", "github.com:101#0"},
		{"negative number", "github.com:101#-7"},
		{"number with a leading zero", "github.com:101#07"},
		{"number with a sign", "github.com:101#+7"},
		{"number too large", "github.com:101#9223372036854775808"},
		{"no sha", "github.com:101@"},
		{"no comment id", "github.com:comment/"},
		{"space", "github.com:101 #7"},
		{"line break", "github.com:101#7\n"},
		{"no-break space", "github.com:101\u00a0#7"},
		{"NUL", "github.com:101\x00#7"},
		{"control character", "github.com:101\x1b#7"},
		{"invalid UTF-8", "github.com:101\xff#7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := schemas.ParseKey(schemas.EntityKey(test.key))
			if !errors.Is(err, schemas.ErrKey) {
				t.Errorf("ParseKey(%q) = %+v, %v; want ErrKey", test.key, got, err)
			}
		})
	}
}

// TestI2_KeysOfEntitiesRoundTrip: what a key was made of comes back, so two
// entities never share one.
func TestI2_KeysOfEntitiesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		instance := rapid.StringMatching(`[a-z][a-z0-9.-]{0,20}(:[0-9]{2,5})?`).Draw(t, "instance")
		repository := rapid.StringMatching(`[0-9]{1,19}|\{[0-9a-f-]{36}\}`).Draw(t, "repository")
		number := rapid.Int64Range(1, 1<<62).Draw(t, "number")
		sha := rapid.StringMatching(`[0-9a-f]{7,64}`).Draw(t, "sha")
		comment := rapid.StringMatching(`[0-9a-f-]{1,36}`).Draw(t, "comment")
		for _, test := range []struct {
			key  schemas.EntityKey
			want schemas.ParsedKey
		}{
			{
				schemas.PullRequestKey(instance, repository, number),
				schemas.ParsedKey{Kind: schemas.KeyPullRequest, Instance: instance, Repository: repository, Number: number},
			},
			{
				schemas.CommitKey(instance, repository, sha),
				schemas.ParsedKey{Kind: schemas.KeyCommit, Instance: instance, Repository: repository, SHA: sha},
			},
			{
				schemas.RepositoryKey(instance, repository),
				schemas.ParsedKey{Kind: schemas.KeyRepository, Instance: instance, Repository: repository},
			},
			{
				schemas.CommentKey(instance, comment),
				schemas.ParsedKey{Kind: schemas.KeyComment, Instance: instance, Comment: comment},
			},
		} {
			got, err := schemas.ParseKey(test.key)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Fatalf("ParseKey(%q), -got +want:\n%s", test.key, diff)
			}
		}
	})
}

// FuzzParseKey: a key that is taken comes back letter for letter, and names an
// instance.
func FuzzParseKey(f *testing.F) {
	for _, key := range []string{
		"github.com:186853002#2", "github.com:186853002@6dcb09b", "github.com:186853002", "github.com",
		"github.com:comment/17", "ghe.example.com:8443:101#7", "acme/api#7", "a:b:c", "a:comment/1#2", "a:1@b#3", ":", "#", "",
	} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		parsed, err := schemas.ParseKey(schemas.EntityKey(key))
		if err != nil {
			if !errors.Is(err, schemas.ErrKey) {
				t.Errorf("ParseKey(%q): %v is not ErrKey", key, err)
			}
			return
		}
		if parsed.String() != key {
			t.Errorf("ParseKey(%q).String() = %q", key, parsed.String())
		}
		if parsed.Instance == "" || parsed.Kind == "" {
			t.Errorf("ParseKey(%q) = %+v names no instance or no kind", key, parsed)
		}
	})
}
