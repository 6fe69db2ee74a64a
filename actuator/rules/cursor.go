package rules

import "unicode"

// cursor walks a scalar through the file. Line and column count from 0.
type cursor struct {
	source       *source
	style        style
	line, column int
	indent       int // of a block
}

// endOfFile is what a cursor reads after the last line.
const endOfFile = rune(-1)

func (c *cursor) position() position { return position{c.line + 1, c.column + 1} }

func (c *cursor) read() rune {
	switch {
	case c.line >= len(c.source.lines):
		return endOfFile
	case c.column >= len(c.source.lines[c.line]):
		return '\n'
	}
	return c.source.lines[c.line][c.column]
}

func (c *cursor) next() {
	switch c.read() {
	case endOfFile:
	case '\n':
		c.line, c.column = c.line+1, 0
		c.skipIndent()
	default:
		c.column++
	}
}

// skipIndent passes the indent of a block, which is no part of the value.
func (c *cursor) skipIndent() {
	for range c.indent {
		if c.read() != ' ' {
			return
		}
		c.column++
	}
}

// align moves to where the next character of the value is written.
func (c *cursor) align(want rune) {
	if c.style == literal || isBlank(want) {
		return
	}
	for isBlank(c.read()) || c.continues() {
		c.next()
	}
}

// continues passes the backslash that ends a line of a double-quoted text.
func (c *cursor) continues() bool {
	if c.style != doubleQuoted || c.read() != '\\' {
		return false
	}
	ahead := *c
	ahead.next()
	return ahead.read() == '\n'
}

// step passes one character of the value.
func (c *cursor) step(want rune) {
	switch {
	case c.style == doubleQuoted && c.read() == '\\' && !c.continues():
		c.passEscape()
	case c.style == singleQuoted && c.read() == '\'':
		c.next()
		c.next()
	case c.style == literal || !isBlank(want):
		c.next()
	case isBlank(c.read()):
		c.passBlank()
	}
}

// passEscape passes a backslash and what it escapes.
func (c *cursor) passEscape() {
	c.next()
	length := 1
	switch c.read() {
	case 'x':
		length = 3
	case 'u':
		length = 5
	case 'U':
		length = 9
	}
	for range length {
		c.next()
	}
}

// passBlank passes one blank, or the whole run where it holds a line break,
// because folding makes another number of blanks of it.
func (c *cursor) passBlank() {
	ahead, breaks := *c, false
	for isBlank(ahead.read()) {
		breaks = breaks || ahead.read() == '\n'
		ahead.next()
	}
	if breaks {
		*c = ahead
		return
	}
	c.next()
}

func isBlank(r rune) bool { return r != endOfFile && unicode.IsSpace(r) }
