package links_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pawl/internal/links"
)

// TestFind_LeavesOutWhatIsNotProse: each body has a reference that is read, #1,
// and others that are not.
func TestFind_LeavesOutWhatIsNotProse(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"comment":                      "<!-- fixes #2 -->\nFixes #1",
		"comment of many lines":        "<!--\nfixes #2\n\nfixes #3\n--> fixes #1",
		"comment in a line":            "a <!-- fixes #2 --> b fixes #1",
		"comment between":              "fixes <!-- x --> #2, fixes #1",
		"comment that does not end":    "Fixes #1\n\n<!-- fixes #2\n\nfixes #3",
		"mark that is not a comment's": "a <!-- b, fixes #1",
		"code":                         "`fixes #2` fixes #1",
		"code between":                 "fixes `x` #2, fixes #1",
		"code of two marks":            "``fixes ` #2`` fixes #1",
		"code over lines":              "`fixes #2\nfixes #3` fixes #1",
		"lone mark":                    "a ` b fixes #1",
		"marks of other lengths":       "a ` b `` c fixes #1",
		"mark before a blank line":     "a ` b\n\nfixes #1 `",
		"mark before an item":          "- a ` b\n- fixes #1 `",
		"escaped mark":                 "a \\` b fixes #1 `",
		"comment's mark in code":       "`<!--` fixes #1 `-->`",
		"code in a comment":            "<!-- ` --> fixes #1 `fixes #2`",
		"element of code":              "<code>fixes #2</code> <pre>fixes #3\n\nfixes #4</pre> fixes #1",
		"element that does not end":    "<code> fixes #1",
		"fence":                        "```\nfixes #2\n```\nfixes #1",
		"fence with a language":        "```text\nfixes #2\n```\nfixes #1",
		"fence of ~":                   "~~~\nfixes #2\n```\nfixes #3\n~~~\nfixes #1",
		"longer fence":                 "````\n```\nfixes #2\n````\nfixes #1",
		"fence that closes longer":     "```\nfixes #2\n`````  \nfixes #1",
		"fence with text behind":       "```\nfixes #2\n``` a\nfixes #3\n```\nfixes #1",
		"fence that does not end":      "fixes #1\n```\nfixes #2\n\nfixes #3",
		"fence in an item":             "- ```\n  fixes #2\n  ```\n- fixes #1",
		"fence set in":                 "1. a\n\n    ```\n    fixes #2\n    ```\n2. fixes #1",
		"fence in a paragraph":         "a\n```\nfixes #2\n```\nfixes #1",
		"fence with CRLF":              "```\r\nfixes #2\r\n```\r\nfixes #1",
		"no fence":                     "```fixes #2``` fixes #1",
		"quotation mark in a fence":    "```\n> ```\nfixes #2\n```\nfixes #1",
		"set in":                       "a\n\n    fixes #2\n\n    fixes #3\n\nfixes #1",
		"set in by a tab":              "\tfixes #2\n\nfixes #1",
		"set in, of a paragraph":       "a\n    fixes #1",
		"set in, of an item":           "- a\n\n    fixes #1",
		"set in after a list":          "- a\n\nb\n\n    fixes #2\n\nfixes #1",
		"quotation":                    "> fixes #2\n\nfixes #1",
		"quotation that goes on":       "> a\nfixes #2\n\nfixes #1",
		"quotation before a list":      "> a\n- fixes #1",
		"quotation before a heading":   "> a\n# fixes #1",
		"quotation in an answer":       "fixes #1\n> fixes #2",
		"not a quotation":              "a > fixes #1",
		"item of a list":               "- fixes #1",
		"numbered item":                "12) fixes #1",
		"number that is no item":       "12 fixes #1",
		"blanks only":                  "    \n\t\n   fixes #1",
	} {
		if got := told(links.Finder{}.Find(on("github", body))); got != "closes acme/api#1" {
			t.Errorf("%s: %q: %q", name, body, got)
		}
	}
}

// TestFind_TakesLinearTime: bodies made to be slow. Each takes some ms; one that
// took quadratic time would take minutes.
func TestFind_TakesLinearTime(t *testing.T) {
	t.Parallel()
	finder, err := links.NewFinder(map[string]string{"configured": `x|x.*y`})
	if err != nil {
		t.Fatal(err)
	}
	const size = 256 << 10
	var ticks strings.Builder
	for n := 1; ticks.Len() < size; n++ {
		ticks.WriteString(strings.Repeat("`", n) + " ")
	}
	bodies := map[string]string{"ticks of every length": ticks.String()}
	for _, unit := range []string{
		"`", "` ", "`\n", "``` \n", "<!--", "<!-- -->", "\n<!--", "<code>", "<pre>\n", "a\n", "> ", ">\n", "> a\nb\n", "- ", "1. `\n", "    a\n\n",
		"x", "x ", "AB-", "AB-1", "AB-1 ", "A", "A1-", "AB-11111111", "/", "#", "fixes ", "fixes #1 ", "fixes #1,", "closes #1 and ",
		"fixes https://github.com/", "https://github.com/a/b/issues/1/", "https://x/issue/", "a/b#1", "/issues/1", "\x00", "\xff", "_", "*", "[",
	} {
		bodies[unit] = strings.Repeat(unit, size/len(unit))
		bodies["fixes "+unit] = "fixes " + bodies[unit]
	}
	for name, body := range bodies {
		for _, source := range []string{"default", "configured"} {
			in := on("gitlab", body)
			in.Source, in.Title, in.Branch = source, body, body
			start := time.Now()
			found := finder.Find(in)
			if elapsed := time.Since(start); elapsed > 5*time.Second {
				t.Errorf("%q, %s: took %s", name, source, elapsed)
			}
			if len(found) > 100 {
				t.Errorf("%q, %s: %d links", name, source, len(found))
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"Fixes #12, acme/api#3 and https://github.com/acme/api/issues/4", "closes: [ENG-1](https://linear.app/acme/issue/ENG-1/x) UTF-8",
		"<!-- a --> `b` ``c` \n```\nd\n```\n> e\n\n    f\n- g", "**Fixes:** GH-7 _OPS-2_ \x00\xff",
	} {
		for _, provider := range []string{"github", "gitlab", "gitea", "bitbucket"} {
			f.Add(provider, seed, "ann/eng-1-fix", `[A-Z]+-\d+`)
		}
	}
	f.Fuzz(func(t *testing.T, provider, text, branch, pattern string) {
		finder, err := links.NewFinder(map[string]string{"s": pattern})
		if err != nil {
			finder = links.Finder{}
		}
		in := on(provider, text)
		in.Instance, in.Title, in.Branch = "github.com", text, branch
		found := finder.Find(in)
		if len(found) > 100 {
			t.Fatalf("%d links", len(found))
		}
		for i, link := range found {
			if link.Target == "" || link.Kind != links.Closes && link.Kind != links.Mentions {
				t.Errorf("link %+v", link)
			}
			if i > 0 && found[i-1].Target >= link.Target {
				t.Errorf("%q stands before %q", found[i-1].Target, link.Target)
			}
			if strings.ContainsAny(link.Target, " \n\x00") || !utf8.ValidString(link.Target) {
				t.Errorf("target %q is no word", link.Target)
			}
		}
		// A text that is hidden whole names nothing.
		in.Title, in.Branch, in.Body = "", "", "~~~\n"+strings.ReplaceAll(text, "~", "")
		if found := finder.Find(in); len(found) != 0 {
			t.Errorf("found in code: %v", found)
		}
	})
}

// BenchmarkFind reads the body of a pull request as people write it, of 2 KB.
func BenchmarkFind(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var body strings.Builder
	body.WriteString("<!-- Thank you! -->\n## What\n\nFixes #12 and relates to ENG-123.\n\n```go\nfunc main() {}\n```\n\n")
	for body.Len() < 2<<10 {
		body.WriteString(strings.Repeat("word", 1+random.IntN(2)) + []string{" ", ", ", ".\n", " `code` "}[random.IntN(4)])
	}
	configured, err := links.NewFinder(map[string]string{"s": `(ENG|OPS)-[1-9][0-9]*`})
	if err != nil {
		b.Fatal(err)
	}
	in := on("github", body.String())
	in.Title, in.Branch = "ENG-123: a change", "ann/eng-123-a-change"
	for name, finder := range map[string]links.Finder{"default": {}, "configured": configured} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(body.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if len(finder.Find(in)) != 2 {
					b.Fatal("links are missing")
				}
			}
		})
	}
}
