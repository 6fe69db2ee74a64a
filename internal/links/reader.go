package links

import (
	"strings"
	"unicode"
)

// reader goes through the texts of a pull request, word by word. It keeps what
// it finds.
type reader struct {
	in    Text
	keys  *pattern
	found map[string]*Link // by the target in lower case
	after closing
}

// closing is whether what comes next is closed.
type closing int

const (
	// nothing that closes stands before.
	nothing closing = iota
	// afterWord: a closing word stands right before.
	afterWord
	// inList: an issue that is closed stands before, and the provider reads on.
	inList
)

// readProse reads a text for people. A closing word and what it closes stand on
// one line, and nothing but blanks, a colon and emphasis is between them.
func (r *reader) readProse(text string) {
	for line := range strings.Lines(text) {
		r.after = nothing
		for line != "" {
			line = r.readNext(line)
		}
	}
}

// readNext reads one word, or what parts words, and returns the rest.
func (r *reader) readNext(line string) string {
	switch what := classes[line[0]]; {
	case what&(blank|emphasis) != 0 || line[0] == '_':
		return line[1:]
	case what&comma != 0:
		if r.after == afterWord {
			r.after = nothing
		}
		return line[1:]
	case what&separator != 0:
		r.after = nothing
		return line[1:]
	case isAddress(line):
		size := until(line, notAddress)
		r.readAddress(line[:size])
		r.endSentence(line[:size])
		return line[size:]
	}
	size := until(line, notWord)
	r.readWord(strings.TrimRight(line[:size], "_"))
	r.endSentence(line[:size])
	return line[size:]
}

// endSentence ends a list of issues with the sentence that it is in.
func (r *reader) endSentence(word string) {
	if r.after == inList && strings.IndexByte(".:!?", word[len(word)-1]) >= 0 {
		r.after = nothing
	}
}

func isAddress(text string) bool {
	return hasFoldPrefix(text, "https://") || hasFoldPrefix(text, "http://")
}

func hasFoldPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

func (r *reader) readWord(word string) {
	if isClosing(word, r.in.Provider) {
		r.after = afterWord
		return
	}
	if r.after == nothing {
		r.readKeys(word)
		return
	}
	if target, ok := r.reference(word); ok {
		r.close(target)
		return
	}
	if r.continues(word) {
		return
	}
	if !r.readKeys(word) {
		r.after = nothing
	}
}

// continues reports whether a word may stand between a closing word and issues:
// the colon of "**Fixes**: #12", and in GitLab's closing pattern also those of
// "closes issues #4, #6 and #7".
func (r *reader) continues(word string) bool {
	switch strings.ToLower(word) {
	case ":":
		return r.after == afterWord
	case "issue", "issues":
		return r.in.Provider == gitlab
	case "and":
		return r.after == inList
	}
	return false
}

// readKeys keeps the tracker keys in a word, and reports whether the word begins
// with one that is closed.
func (r *reader) readKeys(word string) (closed bool) {
	r.keys.find(word, proseBorders, func(start, end int) {
		target := strings.ToUpper(word[start:end])
		if r.after != nothing && strings.Trim(word[:start], "#") == "" {
			r.close(target)
			closed = true
			return
		}
		r.add(target, Mentions)
	})
	return closed
}

// close keeps an issue that is closed. GitLab reads on, GitHub wants a word for
// each issue.
func (r *reader) close(target string) {
	r.add(target, Closes)
	r.after = nothing
	if r.in.Provider == gitlab {
		r.after = inList
	}
}

// readBranch keeps the tracker keys in a branch's name. A branch is mostly in
// lower case, and so are many words with a number that are no keys (release-2,
// python-3): only a configured pattern, which says what projects there are, is
// matched without regard to case.
func (r *reader) readBranch(branch string) {
	for word := range strings.FieldsFuncSeq(branch, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }) {
		r.keys.find(word, branchBorders, func(start, end int) {
			r.add(strings.ToUpper(word[start:end]), Mentions)
		})
	}
}

// isClosing reports whether a word closes what comes after it.
func isClosing(word, provider string) bool {
	word = strings.TrimSuffix(strings.TrimRight(word, "_"), ":")
	if len(word) > len("implementing") {
		return false
	}
	switch strings.ToLower(word) {
	case "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved":
		return true
	case "closing", "fixing", "resolving", "implement", "implements", "implemented", "implementing":
		return provider == gitlab
	}
	return false
}
