// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"sigs.k8s.io/structured-merge-diff/v6/internal/bridge"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// Encoded is the set as their code writes it.
func (s *Set) Encoded() json.RawMessage {
	text, err := s.theirToJSON()
	if err != nil {
		panic(err)
	}
	return text
}

// Decoded is a set as their code reads it.
func Decoded(text json.RawMessage) *Set {
	s := &Set{}
	if err := s.theirFromJSON(bytes.NewReader(text)); err != nil {
		panic(err)
	}
	return s
}

func (p Path) Encoded() []string {
	out := []string{}
	for _, element := range p {
		text, err := theirSerializePathElement(element)
		if err != nil {
			panic(err)
		}
		out = append(out, text)
	}
	return out
}

func DecodedPath(text json.RawMessage) Path {
	var elements []string
	if err := json.Unmarshal(text, &elements); err != nil {
		panic(err)
	}
	path := Path{}
	for _, one := range elements {
		element, err := theirDeserializePathElement(one)
		if err != nil {
			panic(err)
		}
		path = append(path, element)
	}
	return path
}

func (s *Set) ask(what string, more map[string]any) *Set {
	question := map[string]any{"ask": what, "set": s.Encoded()}
	for key := range more {
		question[key] = more[key]
	}
	return Decoded(bridge.MustAsk(question)["set"])
}

func (s *Set) Insert(p Path) {
	*s = *s.ask("insert", map[string]any{"path": p.Encoded()})
}

func (s *Set) Has(p Path) bool {
	reply := bridge.MustAsk(map[string]any{"ask": "has", "set": s.Encoded(), "path": p.Encoded()})
	return string(reply["has"]) == "true"
}

func (s *Set) Union(s2 *Set) *Set {
	return s.ask("union", map[string]any{"other": s2.Encoded()})
}

func (s *Set) Intersection(s2 *Set) *Set {
	return s.ask("intersection", map[string]any{"other": s2.Encoded()})
}

func (s *Set) Difference(s2 *Set) *Set {
	return s.ask("difference", map[string]any{"other": s2.Encoded()})
}

func (s *Set) RecursiveDifference(s2 *Set) *Set {
	return s.ask("recursive_difference", map[string]any{"other": s2.Encoded()})
}

func (s *Set) Leaves() *Set {
	return s.ask("leaves", nil)
}

func (s *Set) FilterIncludeMatches(pattern *SetMatcher) *Set {
	return s.ask("filter", map[string]any{"filter": map[string]any{"include": pattern.prefixes()}})
}

// EncodeTyped is set by package typed.
var EncodeTyped func(bridge.Session, *schema.Schema, schema.TypeRef) map[string]any

func (s *Set) EnsureNamedFieldsAreMembers(sc *schema.Schema, tr schema.TypeRef) *Set {
	session := bridge.Open()
	defer session.Close()
	reply := session.Say(map[string]any{
		"ask": "named_fields", "set": s.Encoded(), "typed": EncodeTyped(session, sc, tr)})
	if err := reply.Err(); err != nil {
		panic(err)
	}
	return Decoded(reply["set"])
}

func (s *Set) ToJSON() ([]byte, error) {
	text, err := s.theirToJSON()
	if err != nil {
		return nil, err
	}
	reply, err := bridge.Ask(map[string]any{"ask": "serialize", "set": json.RawMessage(text)})
	if err != nil {
		return nil, err
	}
	return []byte(reply.Text("text")), nil
}

func (s *Set) FromJSON(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	reply, err := bridge.Ask(map[string]any{"ask": "parse", "text": string(text)})
	if err != nil {
		return err
	}
	*s = *Decoded(json.RawMessage(reply.Text("text")))
	return nil
}

func DeserializePathElement(s string) (PathElement, error) {
	reply, err := bridge.Ask(map[string]any{"ask": "element", "text": s})
	if err != nil {
		if err.Error() == ErrUnknownPathElementType.Error() {
			err = ErrUnknownPathElementType
		}
		return PathElement{}, err
	}
	return theirDeserializePathElement(reply.Text("text"))
}

func SerializePathElement(pe PathElement) (string, error) {
	text, err := theirSerializePathElement(pe)
	if err != nil {
		return "", err
	}
	reply, err := bridge.Ask(map[string]any{"ask": "element", "text": text})
	if err != nil {
		return "", err
	}
	return reply.Text("text"), nil
}

func (e PathElement) String() string {
	if (e == PathElement{}) {
		return e.theirString()
	}
	return bridge.MustAsk(map[string]any{"ask": "path_string", "path": Path{e}.Encoded()}).Text("text")
}

func (fp Path) String() string {
	return bridge.MustAsk(map[string]any{"ask": "path_string", "path": fp.Encoded()}).Text("text")
}

// EncodedFilter is what the bridge reads; nil if there is nothing to filter.
func EncodedFilter(f Filter) any {
	switch t := f.(type) {
	case nil:
		return nil
	case excludeFilter:
		return map[string]any{"exclude": t.excludeSet.Encoded()}
	case includeMatcherFilter:
		return map[string]any{"include": t.matcher.prefixes()}
	}
	panic(errors.New("a filter of another kind"))
}

// The beginnings that match, each a list of elements, nil for any.
func (m *SetMatcher) prefixes() [][]any {
	if m.wildcard {
		return [][]any{{}}
	}
	out := [][]any{}
	for _, member := range m.members {
		var step any
		if !member.Path.Wildcard {
			step = Path{member.Path.PathElement}.Encoded()[0]
		}
		for _, rest := range member.Child.prefixes() {
			out = append(out, append([]any{step}, rest...))
		}
	}
	return out
}
