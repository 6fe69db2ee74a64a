package rules

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// position is a place in the file, line and column from 1, in characters.
type position struct {
	line, column int
}

func (p position) before(other position) bool {
	return p.line < other.line || p.line == other.line && p.column < other.column
}

func tokenPosition(tk *token.Token) position {
	if tk == nil || tk.Position == nil {
		return position{1, 1}
	}
	return position{max(1, tk.Position.Line), max(1, tk.Position.Column)}
}

// nodePosition is where a person sees the node begin. The parser's own token of
// a mapping is its first colon.
func nodePosition(node ast.Node) position {
	mapping, ok := node.(*ast.MappingNode)
	if ok && !mapping.IsFlowStyle && len(mapping.Values) > 0 {
		return tokenPosition(mapping.Values[0].Key.GetToken())
	}
	return tokenPosition(node.GetToken())
}

// source is the text of the file by lines. It maps a place in the value of a
// scalar back to the place in the file: the parser strips indents, folds lines
// and decodes escapes, and does not say where each character was.
type source struct {
	lines [][]rune
}

func newSource(data []byte) *source {
	var s source
	for line := range strings.SplitSeq(string(data), "\n") {
		s.lines = append(s.lines, []rune(strings.TrimSuffix(line, "\r")))
	}
	return &s
}

// scalar is a text in the file.
type scalar struct {
	text  string
	at    position
	style style
}

// style is how a scalar is written.
type style int

const (
	plain style = iota
	singleQuoted
	doubleQuoted
	literal
	folded
)

func styleOf(tk *token.Token) style {
	return map[token.Type]style{
		token.SingleQuoteType: singleQuoted,
		token.DoubleQuoteType: doubleQuoted,
		token.LiteralType:     literal,
		token.FoldedType:      folded,
	}[tk.Type]
}

// locate returns where the character at the offset of the scalar's text stands
// in the file. It follows the file and the text side by side. It is exact for
// blocks (|), for plain and for quoted scalars; where lines are folded, blanks
// are matched as runs.
func (s *source) locate(text scalar, offset int) position {
	value := []rune(text.text)
	c := s.begin(text, value)
	for i, want := range value {
		c.align(want)
		if i >= offset {
			return c.position()
		}
		c.step(want)
	}
	return c.position()
}

// begin puts a cursor on the first character of the scalar's value.
func (s *source) begin(text scalar, value []rune) *cursor {
	c := &cursor{source: s, style: text.style, line: text.at.line - 1, column: text.at.column - 1}
	switch text.style {
	case singleQuoted, doubleQuoted:
		for isBlank(c.read()) { // after a tag the parser is one off
			c.next()
		}
		c.column++
	case literal, folded:
		c.line, c.column = c.line+1, 0
		c.indent = s.indentOf(c.line, value)
		c.skipIndent()
	case plain:
	}
	return c
}

// indentOf is the indent of a block: what its first line that is not blank has
// more in the file than in the value.
func (s *source) indentOf(line int, value []rune) int {
	kept := leadingSpaces(firstInked(strings.Split(string(value), "\n")))
	for ; line < len(s.lines); line++ {
		if strings.TrimSpace(string(s.lines[line])) != "" {
			return max(0, leadingSpaces(string(s.lines[line]))-kept)
		}
	}
	return 0
}

func firstInked(lines []string) string {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return ""
}

func leadingSpaces(line string) int {
	return len(line) - len(strings.TrimLeft(line, " "))
}
