package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// checker reads nodes of one file and notes what is wrong with them. The prefix
// says whose part of the file it is: `rule "x": `.
type checker struct {
	*document
	prefix string
}

// document is one file while it is read.
type document struct {
	*faults
	source  *source
	root    ast.Node
	anchors []*ast.AnchorNode
	declarations
	made    *environment
	madeErr error
}

// entry is one key of a mapping and its value.
type entry struct {
	key   string
	at    position // of the key
	value ast.Node
}

// readDocument parses the text. A syntax error ends it: nothing after it can be
// told apart.
func readDocument(file string, data []byte) *document {
	d := &document{faults: &faults{file: file}, source: newSource(data), declarations: declareAll()}
	parsed, err := parseYAML(data)
	if err != nil {
		d.add(syntaxFault(err))
		return d
	}
	for i, doc := range parsed.Docs {
		if i > 0 && doc.Body != nil {
			d.add(nodePosition(doc.Body), "a second document: one file holds one")
			return d
		}
	}
	if len(parsed.Docs) > 0 && parsed.Docs[0].Body != nil {
		d.root = parsed.Docs[0].Body
		ast.Walk(anchorVisitor{d}, d.root)
	}
	return d
}

// parseYAML keeps duplicate keys, which are reported with the other faults.
func parseYAML(data []byte) (*ast.File, error) {
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

func syntaxFault(err error) (position, string) {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		return tokenPosition(syntax.Token), "not YAML: " + syntax.Message
	}
	return position{1, 1}, "not YAML: " + oneLine(err.Error())
}

// anchorVisitor collects the anchors of the document.
type anchorVisitor struct{ *document }

// Visit notes an anchor.
func (v anchorVisitor) Visit(node ast.Node) ast.Visitor {
	if anchor, ok := node.(*ast.AnchorNode); ok {
		v.anchors = append(v.anchors, anchor)
	}
	return v
}

// environment returns the environment for expressions, made when the first
// expression asks for it.
func (d *document) environment() (*environment, error) {
	if d.made == nil && d.madeErr == nil {
		d.made, d.madeErr = newEnvironment(d.declarations)
	}
	return d.made, d.madeErr
}

// fault notes what is wrong at a place.
func (c checker) fault(at position, format string, args ...any) {
	c.add(at, c.prefix+fmt.Sprintf(format, args...))
}

// bare takes anchor, alias and tag off a value. An alias stands for what its
// anchor held last before it.
func (c checker) bare(node ast.Node) ast.Node {
	for range 10 { // an alias of an alias, and no circle
		switch n := node.(type) {
		case *ast.AnchorNode:
			node = n.Value
		case *ast.TagNode:
			node = n.Value
		case *ast.AliasNode:
			value, ok := c.anchored(n)
			if !ok {
				c.fault(tokenPosition(n.GetToken()), "unknown anchor %s", n.Value.GetToken().Value)
				return nil
			}
			node = value
		default:
			return node
		}
	}
	return node
}

func (c checker) anchored(alias *ast.AliasNode) (ast.Node, bool) {
	name, at := alias.Value.GetToken().Value, tokenPosition(alias.GetToken())
	var held ast.Node
	for _, anchor := range c.anchors {
		if anchor.Name.GetToken().Value == name && tokenPosition(anchor.GetToken()).before(at) {
			held = anchor.Value
		}
	}
	return held, held != nil
}

// entries returns the keys of a mapping in order, each once.
func (c checker) entries(node ast.Node) ([]entry, bool) {
	mapping, ok := c.bare(node).(*ast.MappingNode)
	if !ok {
		return nil, false
	}
	var entries []entry
	for _, value := range mapping.Values {
		e, ok := c.entry(value)
		if !ok {
			continue
		}
		same := slices.IndexFunc(entries, func(other entry) bool { return other.key == e.key })
		if same >= 0 {
			c.fault(e.at, "%s is already set at line %d", e.key, entries[same].at.line)
			continue
		}
		entries = append(entries, e)
	}
	return entries, true
}

func (c checker) entry(value *ast.MappingValueNode) (entry, bool) {
	at := tokenPosition(value.Key.GetToken())
	if value.Key.IsMergeKey() {
		c.fault(at, "merge keys (<<) are not supported here")
		return entry{}, false
	}
	return entry{strings.TrimSpace(keyText(value.Key)), at, value.Value}, true
}

func keyText(key ast.MapKeyNode) string {
	if text, ok := key.(*ast.StringNode); ok {
		return text.Value
	}
	return key.GetToken().Value
}

// mapping returns the values of a mapping by key, and a fault for each key that
// is not known.
func (c checker) mapping(node ast.Node, what string, known ...string) (map[string]entry, bool) {
	entries, ok := c.entries(node)
	if !ok {
		c.fault(c.position(node), "%s: want a map with %s, got %s", what, strings.Join(known, ", "), c.kindOf(node))
		return nil, false
	}
	values := make(map[string]entry)
	for _, e := range entries {
		if !slices.Contains(known, e.key) {
			c.fault(e.at, "%s", unknown("key", e.key, known))
			continue
		}
		values[e.key] = e
	}
	return values, true
}

// sequence returns the elements of a list.
func (c checker) sequence(node ast.Node) ([]ast.Node, bool) {
	list, ok := c.bare(node).(*ast.SequenceNode)
	if !ok {
		return nil, false
	}
	return list.Values, true
}

// text returns a value that is a text.
func (c checker) text(node ast.Node, what string) (scalar, bool) {
	switch n := c.bare(node).(type) {
	case *ast.StringNode:
		return scalar{n.Value, tokenPosition(n.Token), styleOf(n.Token)}, true
	case *ast.LiteralNode:
		return scalar{n.Value.Value, tokenPosition(n.Start), styleOf(n.Start)}, true
	case nil: // an alias of nothing, which is a fault already
		return scalar{}, false
	}
	c.fault(c.position(node), "%s: want a text, got %s%s", what, c.kindOf(node), c.quoteHint(node))
	return scalar{}, false
}

func (c checker) position(node ast.Node) position {
	if node == nil {
		return position{1, 1}
	}
	return nodePosition(node)
}

// isNull reports whether nothing is written for the value.
func (c checker) isNull(node ast.Node) bool {
	if node == nil {
		return true
	}
	_, ok := c.bare(node).(*ast.NullNode)
	return ok
}

// quoteHint tells how a value that YAML reads as something else becomes a text.
func (c checker) quoteHint(node ast.Node) string {
	switch c.bare(node).(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return ": quote it"
	}
	return ""
}

// kindOf names what a value is, for people.
func (c checker) kindOf(node ast.Node) string {
	switch c.bare(node).(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode:
		return "a map"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "a boolean"
	}
	return "a text"
}
