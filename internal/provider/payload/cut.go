package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pawl/internal/provider/webhook"
)

// Without returns the body without the members of these names, at whatever depth
// and however their names are escaped. All other bytes stay as they are, and a
// body that has no such member is returned as it is. The names are of the letters
// a to z. The error wraps webhook.ErrBody: a body that cannot be read to its end
// may hide one.
func Without(body []byte, names ...string) ([]byte, error) {
	if !mayName(body, names) {
		return body, nil
	}
	scan := scanner{body: body, names: names, tokens: json.NewDecoder(bytes.NewReader(body))}
	scan.tokens.UseNumber()
	for {
		err := scan.next()
		if errors.Is(err, io.EOF) && len(scan.open) == 0 {
			return scan.kept(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: it is not JSON: %w", webhook.ErrBody, err)
		}
	}
}

// mayName is a cheap look that misses no member: the letters of its name stand
// there, or some are escaped, and they are U+0061 to U+007A.
func mayName(body []byte, names []string) bool {
	if bytes.Contains(body, []byte(`\u006`)) || bytes.Contains(body, []byte(`\u007`)) {
		return true
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return bytes.Contains(body, []byte(`"`+name+`"`))
	})
}

// span is a part of the body: from its first byte to before its last.
type span struct{ from, to int }

// scanner walks over the tokens of a body and notes what is to be cut out of it.
type scanner struct {
	body   []byte
	names  []string
	tokens *json.Decoder
	open   []container // outermost first
	cuts   []span      // in order, none overlaps
}

// container is an object or an array whose end was not read yet.
type container struct {
	isObject bool
	member   int  // where the member begins whose name was read; 0 for none
	isCut    bool // that member is to be cut
	kept     int  // where the last member that stays ends; 0 for none
}

// next reads one token. At the end of the body it returns io.EOF.
func (s *scanner) next() error {
	start := s.after(int(s.tokens.InputOffset()), " \t\r\n,:")
	token, err := s.tokens.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'), json.Delim('['):
		s.open = append(s.open, container{isObject: token == json.Delim('{')})
		return nil
	case json.Delim('}'), json.Delim(']'):
		s.open = s.open[:len(s.open)-1]
	}
	if len(s.open) == 0 || !s.open[len(s.open)-1].isObject {
		return nil
	}
	if object := &s.open[len(s.open)-1]; object.member == 0 {
		object.member, object.isCut = start, s.isNamed(token)
	} else {
		s.endMember(object, int(s.tokens.InputOffset()))
	}
	return nil
}

// endMember cuts the member that ends here, if it is one of those, with one comma.
func (s *scanner) endMember(object *container, end int) {
	member := object.member
	object.member = 0
	if !object.isCut {
		object.kept = end
		return
	}
	comma := s.after(end, " \t\r\n")
	switch {
	case comma < len(s.body) && s.body[comma] == ',':
		s.cut(span{member, s.after(comma+1, " \t\r\n")})
	case object.kept > 0:
		s.cut(span{object.kept, end}) // the comma before it, and what was cut between
	default:
		s.cut(span{member, end})
	}
}

func (s *scanner) isNamed(token json.Token) bool {
	name, ok := token.(string)
	return ok && slices.Contains(s.names, name)
}

// after returns the first place from here on whose byte is none of these.
func (s *scanner) after(place int, skipped string) int {
	for place < len(s.body) && strings.IndexByte(skipped, s.body[place]) >= 0 {
		place++
	}
	return place
}

// cut notes a part, in place of those that lie in it.
func (s *scanner) cut(part span) {
	for len(s.cuts) > 0 && s.cuts[len(s.cuts)-1].from >= part.from {
		s.cuts = s.cuts[:len(s.cuts)-1]
	}
	s.cuts = append(s.cuts, part)
}

// kept returns the body without what was cut.
func (s *scanner) kept() []byte {
	if len(s.cuts) == 0 {
		return s.body
	}
	kept, last := make([]byte, 0, len(s.body)), 0
	for _, part := range s.cuts {
		kept = append(kept, s.body[last:part.from]...)
		last = part.to
	}
	return append(kept, s.body[last:]...)
}
