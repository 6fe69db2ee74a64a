package links

import "strings"

// prose returns a body without what GitHub does not read: comments and code,
// which an author shows and does not say, and quotations, which somebody else
// said. GitLab leaves out the same (Banzai's reference filters: pre, code,
// blockquote). In place of what is left out stands hidden, so that words before
// and after do not meet; lines stay lines.
//
// It reads Markdown as far as that needs: fences, lines set in by four blanks,
// quotation marks at the beginning of a line, `code`, <code>, <pre> and comments.
func prose(body string) string {
	if !strings.ContainsAny(body, "`~<>\t") && !strings.Contains(body, "    ") {
		return body
	}
	p := prosing{body: body, unclosed: make(map[string]bool)}
	p.out.Grow(len(body))
	for p.at < len(body) {
		p.readLine()
	}
	return p.out.String()
}

// hidden stands for what is left out. It parts words as a separator does.
const hidden = '\x00'

// prosing reads a body line by line.
type prosing struct {
	body string
	at   int // what is before has been read
	out  strings.Builder

	textAt    int  // where the text of the line begins
	afterText bool // the line before is not blank, so that a paragraph goes on
	inQuote   bool // that paragraph is a quotation
	inList    bool // lines that are set in belong to an item of a list
	// unclosed are the marks that nothing closes from here on.
	unclosed map[string]bool
	spans    []span // of the paragraph that is being read
	spansTo  int    // where it ends
}

func (p *prosing) readLine() {
	end := lineEnd(p.body, p.at)
	line := p.body[p.at:end]
	indent, text := indentOf(line)
	if text == "" {
		p.afterText, p.inQuote = false, false
		p.keep(end)
		return
	}
	p.textAt = p.at + strings.Index(line, text)
	marker, item := itemOf(text)
	switch {
	case !p.afterText && indent >= 4 && !p.inList:
		p.hide(end) // code
		return
	case text[0] == '>' && indent < 4 || p.inQuote && p.goesOn(text, marker):
		p.afterText, p.inQuote = true, true
		p.hide(end)
		return
	}
	p.inQuote = false
	switch {
	case marker > 0:
		p.inList = true
	case indent < 2 && !p.afterText:
		p.inList = false
	}
	if fence := fenceOf(item); fence != "" {
		p.hideFenced(fence)
		return
	}
	p.afterText = true
	p.readInline(end)
}

// goesOn reports whether a line without a mark is still of the quotation before
// it: Markdown lets a paragraph go on, but not into a list, a heading or code.
func (p *prosing) goesOn(text string, marker int) bool {
	return marker == 0 && text[0] != '#' && fenceOf(text) == ""
}

// hideFenced leaves out a block of code from its first fence to its last, or to
// the end.
func (p *prosing) hideFenced(fence string) {
	p.afterText = false
	p.hide(lineEnd(p.body, p.at))
	for p.at < len(p.body) {
		end := lineEnd(p.body, p.at)
		line := strings.TrimLeft(p.body[p.at:end], " \t")
		p.hide(end)
		if closing := fenceOf(line); strings.HasPrefix(closing, fence) && strings.TrimSpace(line[len(closing):]) == "" {
			return
		}
	}
}

// readInline reads the text of one line, or of more where something that is left
// out goes on over the line's end.
func (p *prosing) readInline(end int) {
	for p.at < end {
		size := strings.IndexAny(p.body[p.at:end], "`<")
		if size < 0 {
			p.keep(end)
			return
		}
		p.keep(p.at + size)
		if p.body[p.at] == '<' {
			p.readTag()
		} else {
			p.readTicks()
		}
		if p.at > end {
			end = lineEnd(p.body, p.at-1)
		}
	}
}

const comment = "<!--"

// enclosed are the marks between which text is left out.
//
//nolint:gochecknoglobals // a constant table; Go has no constant arrays
var enclosed = [...]struct{ open, closed string }{
	{comment, "-->"}, {"<code>", "</code>"}, {"<pre>", "</pre>"},
}

// readTag leaves out what is in a comment or in an element of code. One that
// does not end is text, save a comment that begins a line: it hides all the rest.
func (p *prosing) readTag() {
	rest := p.body[p.at:]
	for _, mark := range enclosed {
		if !strings.HasPrefix(rest, mark.open) {
			continue
		}
		if size := p.sizeTo(mark.closed, rest[len(mark.open):]); size >= 0 {
			p.hide(p.at + len(mark.open) + size)
			return
		}
		if mark.open == comment && p.at == p.textAt {
			p.hide(len(p.body))
			return
		}
	}
	p.keep(p.at + 1)
}

// sizeTo returns the size of a text up to the end of a mark, or less than zero.
// It looks through the rest of a body for nothing at most once a mark.
func (p *prosing) sizeTo(mark, text string) int {
	if p.unclosed[mark] {
		return -1
	}
	size := strings.Index(text, mark)
	if size < 0 {
		p.unclosed[mark] = true
		return -1
	}
	return size + len(mark)
}

// readTicks leaves out code between equal runs of `. A run without its like in
// the paragraph is text.
func (p *prosing) readTicks() {
	size := sizeOf(p.body[p.at:], '`')
	escaped := p.at > 0 && p.body[p.at-1] == '\\'
	if p.at >= p.spansTo {
		p.findSpans()
	}
	for len(p.spans) > 0 && p.spans[0].start < p.at {
		p.spans = p.spans[1:]
	}
	if escaped || len(p.spans) == 0 || p.spans[0].start != p.at || p.spans[0].end == 0 {
		p.keep(p.at + size)
		return
	}
	p.hide(p.spans[0].end)
}

// sizeOf counts how often a byte stands at the beginning of a text.
func sizeOf(text string, c byte) int {
	n := 0
	for n < len(text) && text[n] == c {
		n++
	}
	return n
}

// span is a run of ` and where the next one of its length ends, if there is one.
type span struct{ start, size, end int }

// findSpans finds the runs of ` from here to the end of the paragraph, and for
// each the next of its length: all in one pass, or many runs without their like
// would each look through the rest.
func (p *prosing) findSpans() {
	p.spans = p.spans[:0:0]
	p.spansTo = paragraphEnd(p.body, p.at)
	for at := p.at; at < p.spansTo; {
		skip := strings.IndexByte(p.body[at:p.spansTo], '`')
		if skip < 0 {
			break
		}
		at += skip
		size := sizeOf(p.body[at:p.spansTo], '`')
		p.spans = append(p.spans, span{start: at, size: size})
		at += size
	}
	next := make(map[int]int)
	for i := len(p.spans) - 1; i >= 0; i-- {
		s := &p.spans[i]
		s.end = next[s.size]
		next[s.size] = s.start + s.size
	}
}

// paragraphEnd returns where the paragraph that goes on at a place ends: before
// a blank line, a fence, a quotation or an item of a list.
func paragraphEnd(body string, at int) int {
	for end := lineEnd(body, at); ; end = lineEnd(body, end) {
		if end == len(body) {
			return end
		}
		_, text := indentOf(body[end:lineEnd(body, end)])
		if text == "" || text[0] == '>' || fenceOf(text) != "" {
			return end
		}
		if marker, _ := itemOf(text); marker > 0 {
			return end
		}
	}
}

// keep takes what is before a place as it is.
func (p *prosing) keep(to int) {
	p.out.WriteString(p.body[p.at:to])
	p.at = to
}

// hide leaves out what is before a place, save the ends of lines.
func (p *prosing) hide(to int) {
	p.out.WriteByte(hidden)
	if strings.IndexByte(p.body[p.at:to], '\n') >= 0 {
		p.out.WriteByte('\n')
	}
	p.at = to
}

// lineEnd returns where the line at a place ends, its end included.
func lineEnd(body string, at int) int {
	if size := strings.IndexByte(body[at:], '\n'); size >= 0 {
		return at + size + 1
	}
	return len(body)
}

// indentOf returns by how many blanks a line is set in, and what is behind them.
func indentOf(line string) (indent int, text string) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			indent++
		case '\t':
			indent += 4 - indent%4
		default:
			return indent, strings.TrimRight(line[i:], "\r\n")
		}
	}
	return indent, ""
}

// itemOf returns the size of a list's mark and what stands behind it: "- text",
// "12. text". Without a mark it is all of the text.
func itemOf(text string) (marker int, item string) {
	switch {
	case strings.IndexByte("-+*", text[0]) >= 0:
		marker = 1
	case is(text[0], digit):
		marker = run(text, digit)
		if marker > 9 || marker == len(text) || text[marker] != '.' && text[marker] != ')' {
			return 0, text
		}
		marker++
	}
	if marker == 0 || marker < len(text) && !is(text[marker], blank) {
		return 0, text
	}
	return marker, strings.TrimLeft(text[marker:], " \t")
}

// fenceOf returns the fence that a line begins with: three or more of ` or of ~.
// A line with more ` behind it is a text with code in it.
func fenceOf(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	size := sizeOf(text, text[0])
	if size < 3 || text[0] == '`' && strings.IndexByte(text[size:], '`') >= 0 {
		return ""
	}
	return text[:size]
}
