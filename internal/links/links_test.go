package links_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pawl/internal/links"
)

// told writes links as "closes acme/api#12, mentions ENG-1".
func told(found []links.Link) string {
	parts := make([]string, len(found))
	for i, link := range found {
		parts[i] = string(link.Kind) + " " + link.Target
	}
	return strings.Join(parts, ", ")
}

func on(provider, body string) links.Text {
	return links.Text{
		Source: "s", Provider: provider, Repository: "acme/api", Body: body,
		Instance: map[string]string{"github": "github.com", "gitlab": "gitlab.com", "gitea": "git.acme.com:3000", "bitbucket": "bitbucket.org"}[provider],
	}
}

func check(t *testing.T, provider string, tests map[string]string) {
	t.Helper()
	for body, want := range tests {
		if got := told(links.Finder{}.Find(on(provider, body))); got != want {
			t.Errorf("%s: %q: %q, want %q", provider, body, got, want)
		}
	}
}

func TestFind_References(t *testing.T) {
	t.Parallel()
	check(t, "github", map[string]string{
		"Fixes #12":                  "closes acme/api#12",
		"Fixes other/repo.js#3":      "closes other/repo.js#3",
		"Fixes .github/.github#3":    "closes .github/.github#3",
		"Fixes ACME/API#12":          "closes acme/api#12",
		"Fixes GH-12":                "closes acme/api#12",
		"(fixes #12)":                "closes acme/api#12",
		"- [x] Fixes #12.":           "closes acme/api#12",
		"**Fixes** #12":              "closes acme/api#12",
		"**Fixes:** #12":             "closes acme/api#12",
		"**Fixes**: #12":             "closes acme/api#12",
		"_Fixes_ __#12__":            "closes acme/api#12",
		"fixes [#12](https://x.y/z)": "closes acme/api#12",
		"a lot. Fixes #12, see":      "closes acme/api#12",
		"Fixes   \t#12\r\n":          "closes acme/api#12",
		"Fixes #4294967296":          "closes acme/api#4294967296",
		"Fixes #1, fixes #2":         "closes acme/api#1, closes acme/api#2",
		"Fixes #1,fixes #2":          "closes acme/api#1, closes acme/api#2",
		"Fixes #1\nFixes #2":         "closes acme/api#1, closes acme/api#2",
		"Fixes #2, fixes #2":         "closes acme/api#2",

		// a number alone is none
		"#12":                             "",
		"see #12":                         "",
		"acme/api#12":                     "",
		"https://github.com/a/b/issues/1": "",

		// the word is another, or not right before
		"prefixes #12":          "",
		"bug-fixes #12":         "",
		"fixing #12":            "",
		"implements #12":        "",
		"Fixes bug #12":         "",
		"Fixes issue #12":       "",
		"Fixes, #12":            "",
		"Fixes; #12":            "",
		"Fixes\n#12":            "",
		"Fixes:\n- #12":         "",
		"Fixes#12":              "",
		"Login was fixed (#12)": "",
		"| Fixes | #12 |":       "",
		"Fixes \"#12\"":         "",
		"Fixes #1, #2 and #3":   "closes acme/api#1",

		// it is no reference
		"Fixes #0":            "",
		"Fixes #012":          "",
		"Fixes #12th":         "",
		"Fixes #12.5":         "",
		"Fixes #12-b":         "",
		"Fixes #12345678901":  "",
		"Fixes #":             "",
		"Fixes a/b/c#12":      "",
		"Fixes api#12":        "",
		"Fixes ../api#12":     "",
		"Fixes acme//api#12":  "",
		"Fixes acme/a%20b#12": "",
		"Fixes @acme/api#12":  "",
		"Fixes " + strings.Repeat("a", 300) + "/b#1": "",
	})
	if got := (links.Finder{}).Find(links.Text{Provider: "github", Body: "Fixes #12"}); len(got) != 0 {
		t.Errorf("without a repository: %v", got)
	}
}

func TestFind_EveryClosingWord(t *testing.T) {
	t.Parallel()
	for provider, words := range map[string]string{
		"github": "close closes closed fix fixes fixed resolve resolves resolved",
		"gitea":  "close closes closed fix fixes fixed resolve resolves resolved",
		"gitlab": "close closes closed closing fix fixes fixed fixing resolve resolves resolved resolving " +
			"implement implements implemented implementing",
	} {
		for word := range strings.FieldsSeq(words) {
			for _, form := range []string{word, strings.ToUpper(word), strings.ToUpper(word[:1]) + word[1:], word + ":"} {
				if got := told(links.Finder{}.Find(on(provider, form+" #12"))); got != "closes acme/api#12" {
					t.Errorf("%s: %s #12: %q", provider, form, got)
				}
			}
		}
	}
}

func TestFind_GitLab(t *testing.T) {
	t.Parallel()
	check(t, "gitlab", map[string]string{
		"Closes #4, #6 and acme/x#7":          "closes acme/api#4, closes acme/api#6, closes acme/x#7",
		"Closes #4,#6, and #7":                "closes acme/api#4, closes acme/api#6, closes acme/api#7",
		"Closes issues #4, #6":                "closes acme/api#4, closes acme/api#6",
		"Closes issue #4 but not #6":          "closes acme/api#4",
		"Closes #4 and, well, #6":             "closes acme/api#4",
		"Closes #4. #6":                       "closes acme/api#4",
		"Closes #4\n#6":                       "closes acme/api#4",
		"Implementing group/sub/deep/proj#12": "closes group/sub/deep/proj#12",
		"Closes web#12":                       "closes acme/web#12",
		"Closes #4 and ENG-5":                 "closes ENG-5, closes acme/api#4",
		"Closes https://gitlab.com/acme/api/-/issues/4, https://gitlab.com/g/s/p/issues/5 and #6": "closes acme/api#4, closes acme/api#6, closes g/s/p#5",
		"Closes https://gitlab.com/acme/api/-/work_items/4":                                       "closes acme/api#4",
	})
}

func TestFind_Addresses(t *testing.T) {
	t.Parallel()
	check(t, "github", map[string]string{
		"Fixes https://github.com/acme/api/issues/12":                                        "closes acme/api#12",
		"Fixes https://github.com/other/x/pull/12.":                                          "closes other/x#12",
		"Fixes HTTPS://GitHub.com/Acme/API/issues/12":                                        "closes acme/api#12",
		"Fixes <https://github.com/acme/api/issues/12>":                                      "closes acme/api#12",
		"Fixes https://github.com/acme/api/issues/12#issuecomment-1":                         "closes acme/api#12",
		"Fixes https://github.com/acme/api/issues/12?a=b":                                    "closes acme/api#12",
		"Fixes https://github.com/acme/api/pull/12/files":                                    "closes acme/api#12",
		"Fixes https://github.com/acme/issues/issues/12":                                     "closes acme/issues#12",
		"(fixes https://github.com/acme/api/issues/12)":                                      "closes acme/api#12",
		"Fixes https://github.com/acme/api/issues/12, https://github.com/acme/api/issues/13": "closes acme/api#12",

		"Fixes https://github.com.evil.org/acme/api/issues/12":      "",
		"Fixes https://evil.org/github.com/acme/api/issues/12":      "",
		"Fixes https://evil.org/?u=https://github.com/a/b/issues/1": "",
		"Fixes https://user@github.com/acme/api/issues/12":          "",
		"Fixes https://gitlab.com/acme/api/issues/12":               "",
		"Fixes https://github.com/acme/api/issues":                  "",
		"Fixes https://github.com/acme/api/issues/new":              "",
		"Fixes https://github.com/acme/api/discussions/12":          "",
		"Fixes https://github.com/issues/12":                        "",
		"Fixes ssh://github.com/acme/api/issues/12":                 "",
		"Fixes https://": "",
	})
	check(t, "gitea", map[string]string{
		"Fixes https://git.acme.com:3000/acme/api/issues/12": "closes acme/api#12",
		"Fixes http://git.acme.com:3000/acme/api/pulls/12":   "closes acme/api#12",
		"Fixes https://git.acme.com/acme/api/issues/12":      "",
	})
	check(t, "bitbucket", map[string]string{
		"Fixes https://bitbucket.org/acme/api/issues/12/a-title": "closes acme/api#12",
		"Fixes https://bitbucket.org/acme/api/pull-requests/12":  "closes acme/api#12",
	})
}

func TestFind_TrackerKeys(t *testing.T) {
	t.Parallel()
	check(t, "github", map[string]string{
		"ENG-123":                       "mentions ENG-123",
		"See ENG-123, OPS2-7; and A1-1": "mentions A1-1, mentions ENG-123, mentions OPS2-7",
		"ENG-123: a change.":            "mentions ENG-123",
		"feat(ENG-123): a change":       "mentions ENG-123",
		"[ENG-123] a change":            "mentions ENG-123",
		"**ENG-123** _ENG-124_":         "mentions ENG-123, mentions ENG-124",
		"It is ENG-123.":                "mentions ENG-123",
		"ENG-123's end":                 "mentions ENG-123",
		"#ENG-123":                      "mentions ENG-123",
		"修复ENG-123问题":                   "mentions ENG-123",
		"ENG-123-":                      "mentions ENG-123",
		"Fixes ENG-123":                 "closes ENG-123",
		"Fixes: [ENG-123](https://linear.app/acme/issue/ENG-123/a-title)": "closes ENG-123",
		"Fixes ENG-123, ENG-124":                                "closes ENG-123, mentions ENG-124",
		"ENG-123. Fixes ENG-123":                                "closes ENG-123",
		"Fixes ENG-123. See ENG-123":                            "closes ENG-123",
		"See https://acme.atlassian.net/browse/ENG-123?focus=1": "mentions ENG-123",
		"See https://linear.app/acme/issue/ENG-123/a-title.":    "mentions ENG-123",
		"Fixes https://linear.app/acme/issue/ENG-123":           "closes ENG-123",

		// no project, no number, or a part of something else
		"eng-123":                "",
		"Eng-123":                "",
		"E-123":                  "",
		"1AB-12":                 "",
		"ELEVENCHARS-1":          "",
		"ENG-0":                  "",
		"ENG-012":                "",
		"ENG-12345678":           "",
		"ENG-":                   "",
		"ENG-12a":                "",
		"ENG-1.5":                "",
		"ENG-1.md":               "",
		"ENG_1":                  "",
		"xENG-1":                 "",
		"MY-ENG-1":               "",
		"MY_ENG-1":               "",
		"ENG-1-2":                "",
		"ENG-1_a":                "",
		"docs/ENG-1/a.md":        "",
		"a@ENG-1":                "",
		"https://acme.com/ENG-1": "",
		"https://github.com/acme/api/blob/main/ENG-1": "",
		"https://acme.com/?q=ENG-1":                   "",
		"https://acme.com/browse/?q=ENG-1":            "",
		"https://acme.com/browse/XENG-1x":             "",

		// what looks like one and is none
		"UTF-8 UTF-16 SHA-256 SHA-1 ISO-8601 RFC-2119 CVE-2024-12345 HTTP-2 TLS-1.3 AES-256 X86-64 COVID-19 GH-12 PR-12": "",
	})
}

func TestFind_TitleAndBranch(t *testing.T) {
	t.Parallel()
	got := links.Finder{}.Find(links.Text{
		Provider: "github", Repository: "acme/api", Title: "ENG-1: fix #7, fixes #8 and `ENG-4`", Branch: "ann/ENG-2-fix_ENG-3", Body: "none",
	})
	want := "mentions ENG-1, mentions ENG-2, mentions ENG-3, mentions ENG-4, closes acme/api#7, closes acme/api#8"
	if told(got) != want {
		t.Errorf("%q, want %q", told(got), want)
	}
}

// A lower-case branch is full of numbers: only a pattern that says what projects
// there are can tell the keys from them.
func TestFind_BranchInLowerCase(t *testing.T) {
	t.Parallel()
	finder, err := links.NewFinder(map[string]string{"s": `(ENG|OPS)-[1-9][0-9]*`})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		finder       links.Finder
		branch, want string
	}{
		{finder, "ann/eng-123-fix", "mentions ENG-123"},
		{finder, "ann-eng-123_fix", "mentions ENG-123"},
		{finder, "Eng-123", "mentions ENG-123"},
		{finder, "eng-1/ops-2.eng-3", "mentions ENG-1, mentions ENG-3, mentions OPS-2"},
		{finder, "release-2", ""},
		{finder, "seng-123", ""},
		{finder, "eng-123a", ""},
		{links.Finder{}, "ann/eng-123-fix", ""},
		{links.Finder{}, "ann/ENG-123-fix", "mentions ENG-123"},
		{links.Finder{}, "dependabot/npm/UTF-8-validate-5", ""},
	} {
		got := told(test.finder.Find(links.Text{Source: "s", Provider: "github", Branch: test.branch}))
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.branch, got, test.want)
		}
	}
}

func TestFind_ConfiguredPatterns(t *testing.T) {
	t.Parallel()
	finder, err := links.NewFinder(map[string]string{"off": "", "phabricator": `T[0-9]+`, "any": `[A-Z]+-\d+`, "quoted": `\QENG-1`, "letters": `(BUG|T\d)-[a-z]+`})
	if err != nil {
		t.Fatal(err)
	}
	const body = "ENG-1 T12 UTF-8 fixes T13 and eng-2 BUG-one"
	for source, want := range map[string]string{
		"off":         "",
		"phabricator": "mentions T12, closes T13",
		"any":         "mentions ENG-1, mentions UTF-8",
		"quoted":      "mentions ENG-1",
		"letters":     "mentions BUG-ONE", // not every key has a digit
		"other":       "mentions ENG-1",
	} {
		got := finder.Find(links.Text{Source: source, Provider: "github", Repository: "acme/api", Body: body})
		if told(got) != want {
			t.Errorf("%s: %q, want %q", source, told(got), want)
		}
	}
}

func TestNewFinder_NamesEachSourceAndFault(t *testing.T) {
	t.Parallel()
	_, err := links.NewFinder(map[string]string{
		"good": `ENG-\d+`, "broken": `ENG-(\d+`, "lookahead": `(?=ENG)`, "long": strings.Repeat("a", 201), "huge": `(a{100}){10}`,
		"empty": `(ENG-\d+)?`, "border": `\bx*`, "repeat": `a{1001}`,
	})
	if err == nil {
		t.Fatal("NewFinder() = nil")
	}
	for _, says := range []string{
		"source broken: ", "missing closing )", "source lookahead: ", "source long: ", "at most 200", "source huge: ", "repeats too much",
		"source empty: ", "matches the empty text", "source border: ", "source repeat: ",
	} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%q is not in:\n%v", says, err)
		}
	}
	if strings.Contains(err.Error(), "source good") {
		t.Errorf("a good pattern is refused: %v", err)
	}
	if err := links.CheckPattern(`ENG-\d+`); err != nil {
		t.Errorf("CheckPattern() = %v", err)
	}
	if links.CheckPattern(`ENG-(\d+`) == nil {
		t.Error("CheckPattern() of a broken pattern = nil")
	}
}

func TestFind_AtMostAHundred(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 300 {
		fmt.Fprintf(&body, "ENG-%d ", 1000+i)
	}
	body.WriteString("Fixes ENG-1000 fixes #1")
	in := on("github", body.String())
	in.Title, in.Branch = "Fixes #7", "OPS-1"
	found := links.Finder{}.Find(in)
	got := told(found)
	if len(found) != 100 || !strings.Contains(got, "closes acme/api#7") || !strings.Contains(got, "mentions OPS-1") || !strings.HasPrefix(got, "closes ENG-1000, mentions ENG-1001, ") {
		t.Errorf("%d links: %s", len(found), got)
	}
}

func TestFind_WhatIsBehindTheBoundIsNotRead(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("\n", 256<<10) + "ENG-1"
	if got := (links.Finder{}).Find(on("github", body)); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := (links.Finder{}).Find(on("github", body[4:])); len(got) != 0 { // cut in the middle of the key: ENG-
		t.Errorf("%v", got)
	}
	if got := told(links.Finder{}.Find(on("github", body[5:]))); got != "mentions ENG-1" {
		t.Errorf("%q", got)
	}
}

// What is found must not keep the payload in memory, so it is compared by value.
func TestFind_IsSortedAndWithoutRepeats(t *testing.T) {
	t.Parallel()
	got := links.Finder{}.Find(on("github", "ZZ-1 AA-1 fixes zed/Zed#1 fixes Zed/zed#1 fixes #2 ZZ-1"))
	want := []links.Link{
		{Target: "AA-1", Kind: links.Mentions},
		{Target: "ZZ-1", Kind: links.Mentions},
		{Target: "acme/api#2", Kind: links.Closes},
		{Target: "zed/Zed#1", Kind: links.Closes},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("-got +want:\n%s", diff)
	}
}
