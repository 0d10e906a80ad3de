// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/internal/bridge"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func init() {
	fieldpath.EncodeTyped = func(s bridge.Session, sc *schema.Schema, tr schema.TypeRef) map[string]any {
		return TypedValue{value: value.NewValueInterface(nil), schema: sc, typeRef: tr}.Encoded(s)
	}
}

func encodeAtom(out map[string]any, atom schema.Atom) {
	if atom.Scalar != nil {
		out["scalar"] = *atom.Scalar
	}
	if atom.List != nil {
		out["list"] = map[string]any{
			"elementType":         encodeRef(atom.List.ElementType),
			"elementRelationship": atom.List.ElementRelationship,
			"keys":                atom.List.Keys,
		}
	}
	if atom.Map != nil {
		fields := []any{}
		for _, field := range atom.Map.Fields {
			one := map[string]any{"name": field.Name, "type": encodeRef(field.Type)}
			if field.Default != nil {
				one["default"] = bridge.Encode(value.NewValueInterface(field.Default))
			}
			fields = append(fields, one)
		}
		out["map"] = map[string]any{
			"fields":              fields,
			"elementType":         encodeRef(atom.Map.ElementType),
			"elementRelationship": atom.Map.ElementRelationship,
		}
	}
}

func encodeRef(ref schema.TypeRef) map[string]any {
	out := map[string]any{}
	if ref.NamedType != nil {
		out["namedType"] = *ref.NamedType
	}
	if ref.ElementRelationship != nil {
		out["elementRelationship"] = *ref.ElementRelationship
	}
	encodeAtom(out, ref.Inlined)
	return out
}

// Encoded is the value with its type; the schema is sent once.
func (tv TypedValue) Encoded(s bridge.Session) map[string]any {
	id, known := s.Known(tv.schema)
	out := map[string]any{"schema": id, "type": encodeRef(tv.typeRef), "value": bridge.Encode(tv.value)}
	if !known {
		types := []any{}
		for _, definition := range tv.schema.Types {
			one := map[string]any{"name": definition.Name}
			encodeAtom(one, definition.Atom)
			types = append(types, one)
		}
		out["definition"] = map[string]any{"types": types}
	}
	return out
}

// With is a value of the same type, out of a reply.
func (tv TypedValue) With(text json.RawMessage) *TypedValue {
	var typed map[string]json.RawMessage
	if err := json.Unmarshal(text, &typed); err != nil {
		panic(err)
	}
	tv.value = bridge.Decode(typed["value"])
	return &tv
}

func (tv TypedValue) ask(what map[string]any, right *TypedValue) (bridge.Reply, error) {
	s := bridge.Open()
	defer s.Close()
	what["left"] = tv.Encoded(s)
	if right != nil {
		what["right"] = right.Encoded(s)
	}
	reply := s.Say(what)
	return reply, reply.Err()
}

func (tv TypedValue) mustAsk(what map[string]any) bridge.Reply {
	reply, err := tv.ask(what, nil)
	if err != nil {
		panic(err)
	}
	return reply
}

func (tv TypedValue) Validate(opts ...ValidationOptions) error {
	duplicates := false
	for _, opt := range opts {
		duplicates = duplicates || opt == AllowDuplicates
	}
	_, err := tv.ask(map[string]any{"ask": "validate", "duplicates": duplicates}, nil)
	return err
}

func (tv TypedValue) ToFieldSet() (*fieldpath.Set, error) {
	reply, err := tv.ask(map[string]any{"ask": "to_field_set"}, nil)
	if err != nil {
		return nil, err
	}
	return fieldpath.Decoded(reply["set"]), nil
}

func (tv TypedValue) sameType(rhs *TypedValue) error {
	if tv.schema != rhs.schema {
		return errorf("expected objects with types from the same schema")
	}
	if !tv.typeRef.Equals(&rhs.typeRef) {
		return errorf("expected objects of the same type, but got %v and %v", tv.typeRef, rhs.typeRef)
	}
	return nil
}

func (tv TypedValue) Merge(pso *TypedValue) (*TypedValue, error) {
	if err := tv.sameType(pso); err != nil {
		return nil, err
	}
	reply, err := tv.ask(map[string]any{"ask": "merge"}, pso)
	if err != nil {
		return nil, err
	}
	return tv.With(reply["typed"]), nil
}

func (tv TypedValue) Compare(rhs *TypedValue) (*Comparison, error) {
	if err := tv.sameType(rhs); err != nil {
		return nil, err
	}
	reply, err := tv.ask(map[string]any{"ask": "compare"}, rhs)
	if err != nil {
		return nil, err
	}
	return &Comparison{
		Removed:  fieldpath.Decoded(reply["removed"]),
		Modified: fieldpath.Decoded(reply["modified"]),
		Added:    fieldpath.Decoded(reply["added"]),
	}, nil
}

func (tv TypedValue) RemoveItems(items *fieldpath.Set) *TypedValue {
	return tv.With(tv.mustAsk(map[string]any{"ask": "remove", "items": items.Encoded()})["typed"])
}

func (tv TypedValue) ExtractItems(items *fieldpath.Set, opts ...ExtractItemsOption) *TypedValue {
	options := &extractItemsOptions{}
	for _, opt := range opts {
		opt(options)
	}
	question := map[string]any{"ask": "extract", "items": items.Encoded(), "keys": options.appendKeyFields}
	return tv.With(tv.mustAsk(question)["typed"])
}

func ReconcileFieldSetWithSchema(fieldset *fieldpath.Set, tv *TypedValue) (*fieldpath.Set, error) {
	s := bridge.Open()
	defer s.Close()
	reply := s.Say(map[string]any{"ask": "reconcile", "set": fieldset.Encoded(), "typed": tv.Encoded(s)})
	if err := reply.Err(); err != nil {
		return nil, err
	}
	reconciled := fieldpath.Decoded(reply["set"])
	if reconciled.Equals(fieldset) {
		return nil, nil
	}
	return reconciled, nil
}
