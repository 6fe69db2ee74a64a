package gitea

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"pawl/internal/provider/webhook"
)

// secretName is the member of the payload in which versions before 1.14 send the
// webhook's secret. It must not reach the log: each member of that name is cut
// out, at whatever depth, and all other bytes stay as they are.
const secretName = "secret"

// withoutSecret returns the body without its secrets; a body that has none is
// returned as it is. The error wraps ErrBody: a body that cannot be read to its
// end may hide one.
func withoutSecret(body []byte) ([]byte, error) {
	if !mayNameSecret(body) {
		return body, nil
	}
	scan := scanner{body: body, tokens: json.NewDecoder(bytes.NewReader(body))}
	scan.tokens.UseNumber()
	for {
		err := scan.next()
		if errors.Is(err, io.EOF) {
			return scan.kept(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: it is not JSON: %w", webhook.ErrBody, err)
		}
	}
}

// mayNameSecret is a cheap look that misses no secret: the letters of its name
// stand there, or some are escaped, and they are U+0063 to U+0074.
func mayNameSecret(body []byte) bool {
	return bytes.Contains(body, []byte(`"`+secretName+`"`)) ||
		bytes.Contains(body, []byte(`\u006`)) || bytes.Contains(body, []byte(`\u007`))
}

// span is a part of the body: from its first byte to before its last.
type span struct{ from, to int }

// scanner walks over the tokens of a body and notes what is to be cut out of it.
type scanner struct {
	body   []byte
	tokens *json.Decoder
	open   []container // outermost first
	cuts   []span      // in order, none overlaps
}

// container is an object or an array whose end was not read yet.
type container struct {
	isObject bool
	member   int  // where the member begins whose name was read; 0 for none
	isSecret bool // that member is one
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
		object.member, object.isSecret = start, token == secretName
	} else {
		s.endMember(object, int(s.tokens.InputOffset()))
	}
	return nil
}

// endMember cuts the member that ends here, if it is a secret, with one comma.
func (s *scanner) endMember(object *container, end int) {
	member := object.member
	object.member = 0
	if !object.isSecret {
		object.kept = end
		return
	}
	comma := s.after(end, " \t\r\n")
	switch {
	case comma < len(s.body) && s.body[comma] == ',':
		s.cut(span{member, s.after(comma+1, " \t\r\n")})
	case object.kept > 0:
		s.cut(span{object.kept, end}) // the comma before it, and the secrets between
	default:
		s.cut(span{member, end})
	}
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
