package links

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
)

// Bounds of a configured pattern.
const (
	maxPattern = 200  // bytes
	maxProgram = 1000 // instructions: a{1000} is short and long to match
	maxWord    = 256  // bytes; a longer word holds no key of a configured pattern
)

// pattern finds the keys of an issue tracker in a word.
type pattern struct {
	text     *regexp.Regexp // nil: the default
	branch   *regexp.Regexp // the same without regard to case
	hasDigit bool           // every key has one, so a word without is not tried
}

func defaultPattern() *pattern { return new(pattern) }

// NewFinder returns a finder with a pattern of tracker keys for some sources: an
// RE2 expression for the whole key. An empty one means that the source's texts
// hold no keys; a source that is not named has the default. The error tells all
// faults, each with its source.
//
// The default is [A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,6}, less a list of words that
// look so and are none: UTF-8, SHA-256, ISO-8601.
//
// A key is a part of one word: a blank, a bracket, a quotation mark or a comma
// is never in it.
func NewFinder(patterns map[string]string) (Finder, error) {
	made := Finder{patterns: make(map[string]*pattern, len(patterns))}
	var faults []error
	for _, source := range slices.Sorted(maps.Keys(patterns)) {
		compiled, err := compile(patterns[source])
		if err != nil {
			faults = append(faults, fmt.Errorf("source %s: %w", source, err))
		}
		made.patterns[source] = compiled
	}
	if err := errors.Join(faults...); err != nil {
		return Finder{}, err
	}
	return made, nil
}

// CheckPattern returns what is wrong with a pattern of tracker keys.
func CheckPattern(text string) error {
	_, err := compile(text)
	return err
}

func compile(text string) (*pattern, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no pattern is a pattern that finds nothing
	}
	if len(text) > maxPattern {
		return nil, fmt.Errorf("the pattern of tracker keys has %d bytes, want at most %d", len(text), maxPattern)
	}
	parsed, program, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("the pattern of tracker keys %q is no RE2 expression: %w", text, err)
	}
	if len(program.Inst) > maxProgram {
		return nil, fmt.Errorf("the pattern of tracker keys %q repeats too much", text)
	}
	made := &pattern{regexp.MustCompile(text), regexp.MustCompile("(?i)" + text), hasDigit(parsed)}
	if at := made.text.FindStringIndex("a"); made.text.MatchString("") || at != nil && at[0] == at[1] {
		return nil, fmt.Errorf("the pattern of tracker keys %q matches the empty text, so it would find keys everywhere", text)
	}
	return made, nil
}

func parse(text string) (*syntax.Regexp, *syntax.Prog, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	return parsed, program, err
}

// hasDigit reports whether all that an expression matches has a digit in it, as
// far as that is easily told.
func hasDigit(of *syntax.Regexp) bool {
	not := func(sub *syntax.Regexp) bool { return !hasDigit(sub) }
	switch of.Op { //nolint:exhaustive // any other is not told easily
	case syntax.OpLiteral:
		return slices.ContainsFunc(of.Rune, isDigit)
	case syntax.OpCharClass: // Rune holds pairs, from and to
		return len(of.Rune) > 0 && !slices.ContainsFunc(of.Rune, func(r rune) bool { return !isDigit(r) })
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		return slices.ContainsFunc(of.Sub, hasDigit)
	case syntax.OpRepeat:
		return of.Min > 0 && hasDigit(of.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(of.Sub, not)
	}
	return false
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// find calls yield with the place of each key in a word, of which ends says
// where a key may begin and end.
func (p *pattern) find(word string, ends borders, yield func(start, end int)) {
	switch {
	case p == nil:
	case p.text == nil:
		findDefault(word, ends, yield)
	case p.hasDigit && until(word, digit) == len(word):
	case len(word) <= maxWord:
		expression := p.text
		if ends == branchBorders {
			expression = p.branch
		}
		for from := 0; from < len(word); {
			at := expression.FindStringIndex(word[from:])
			if at == nil {
				return
			}
			start, end := from+at[0], from+at[1]
			if end > start && ends.allow(word, start, end) {
				yield(start, end)
			}
			from = max(end, start+1)
		}
	}
}

// isKey reports whether a text is one key and nothing else.
func (p *pattern) isKey(text string) bool {
	whole := false
	p.find(text, proseBorders, func(start, end int) { whole = whole || start == 0 && end == len(text) })
	return whole
}

// Bounds of a key of the default pattern.
const (
	minProject = 2
	maxProject = 10
	maxNumber  = 7
)

// findDefault is find for the default pattern.
func findDefault(word string, ends borders, yield func(start, end int)) {
	for start := 0; start < len(word); start++ {
		if !is(word[start], upper) {
			continue
		}
		project := start + run(word[start:], upper|digit)
		end := project + 1
		if project-start <= maxProject && end < len(word) && word[project] == '-' && word[end] != '0' {
			end += run(word[end:], digit)
		}
		digits := end - project - 1
		if project-start >= minProject && digits >= 1 && digits <= maxNumber && ends.allow(word, start, end) && !isFalseFriend(word[start:project]) {
			yield(start, end)
			start = end - 1
			continue
		}
		start = project - 1
	}
}

// isFalseFriend reports whether a word before a number is a false friend: a standard,
// a cipher, a size, or what other numbers are called. A pattern that is
// configured knows none: who names projects means them.
func isFalseFriend(project string) bool {
	_, found := slices.BinarySearch(falseFriends[:], project)
	return found
}

// falseFriends is sorted.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var falseFriends = [...]string{
	"ADR", "AES", "AMD", "ANSI", "APACHE", "ARM", "ASCII", "AVX", "BASE", "BCP", "BLAKE", "BSD", "CAP", "COVID", "CP", "CRC",
	"CVE", "CVSS", "CWE", "DES", "ECMA", "ED", "ES", "FIPS", "GH", "GHSA", "GPL", "GPT", "HTTP", "IEC", "IEEE", "INT", "IPV", "ISO",
	"JAVA", "KOI8", "LATIN", "LGPL", "MD", "MP", "MPL", "MR", "NIST", "OWASP", "PEP", "PHP", "POSIX", "PR", "PY", "PYTHON",
	"RFC", "RSA", "SHA", "SHA2", "SHA3", "SSE", "SSL", "STD", "TLS", "UCS", "UINT", "UTC", "UTF", "WCAG", "WIN", "WINDOWS", "X86",
}

// borders say what may stand on either side of a key.
type borders int

const (
	// proseBorders: a key stands alone. It is no part of a longer word, of a path,
	// of a file's name or of a sum: X-ENG-1, src/ENG-1, ENG-1.md and ENG-1-b hold
	// none; ENG-1: and ENG-1. do.
	proseBorders borders = iota
	// branchBorders: a key is between what parts the names of branches:
	// ann/ENG-1-fix.
	branchBorders
)

func (b borders) allow(word string, start, end int) bool {
	return (start == 0 || b.mayPrecede(word[start-1])) && (end == len(word) || b.mayFollow(word[end:]))
}

func (b borders) mayPrecede(c byte) bool {
	if b == branchBorders {
		return !is(c, alphanumeric)
	}
	return !is(c, alphanumeric|glued) && c != '_'
}

func (b borders) mayFollow(rest string) bool {
	if b == branchBorders {
		return !is(rest[0], alphanumeric)
	}
	if is(rest[0], alphanumeric) || rest[0] == '_' {
		return false
	}
	// A full stop may end a sentence, and a dash a word.
	return !is(rest[0], glued) || len(rest) == 1 || !is(rest[1], alphanumeric)
}
