// SPDX-License-Identifier: Apache-2.0

package main

// The schemas of `self`: of an object with a field of each sort, and of the sorts alone, because the size of what has no place in the
// schema is taken from the value under the rule. "entries" and "elements" are containers of such objects.
var schemas = []struct{ name, document string }{
	{"object", object},
	{"entries", `{"type": "object", "maxProperties": 14, "additionalProperties": ` + object + `}`},
	{"elements", `{"type": "array", "maxItems": 19, "items": ` + object + `}`},
	{"text", `{"type": "string", "maxLength": 447}`},
	{"unbounded", `{"type": "string"}`},
	{"list", `{"type": "array", "maxItems": 32, "items": {"type": "string", "maxLength": 64}}`},
	{"objects", `{"type": "array", "maxItems": 16, "items": {"type": "object", "properties": {
		"name": {"type": "string", "maxLength": 63}, "kind": {"type": "string"},
		"tags": {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 5}}}}}`},
	{"map", `{"type": "object", "maxProperties": 20, "additionalProperties": {"type": "string", "maxLength": 100}}`},
	{"int", `{"type": "integer"}`},
}

const object = `{"type": "object", "properties": {
	"s": {"type": "string", "maxLength": 30}, "u": {"type": "string"}, "e": {"type": "string", "enum": ["one", "three"]},
	"y": {"type": "string", "format": "byte", "maxLength": 90}, "i": {"type": "integer"}, "d": {"type": "number"}, "b": {"type": "boolean"},
	"t": {"type": "string", "format": "date-time"}, "w": {"type": "string", "format": "duration"},
	"x": {"x-kubernetes-int-or-string": true}, "xs": {"x-kubernetes-int-or-string": true, "maxLength": 9},
	"ls": {"type": "array", "maxItems": 12, "items": {"type": "string", "maxLength": 20}},
	"lu": {"type": "array", "items": {"type": "string"}},
	"li": {"type": "array", "maxItems": 7, "items": {"type": "integer"}},
	"ly": {"type": "array", "maxItems": 4, "items": {"type": "string", "format": "byte", "maxLength": 50}},
	"ll": {"type": "array", "maxItems": 5, "items": {"type": "array", "maxItems": 6, "items": {"type": "string", "maxLength": 8}}},
	"ms": {"type": "object", "maxProperties": 9, "additionalProperties": {"type": "string", "maxLength": 25}},
	"mu": {"type": "object", "additionalProperties": {"type": "string"}},
	"mo": {"type": "object", "maxProperties": 3, "additionalProperties": {"type": "object", "properties": {
		"name": {"type": "string", "maxLength": 11}, "tags": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 6}}}}},
	"lo": {"type": "array", "maxItems": 10, "items": {"type": "object", "required": ["name"], "properties": {
		"name": {"type": "string", "maxLength": 15}, "kind": {"type": "string", "maxLength": 40}, "n": {"type": "integer"},
		"tags": {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 5}},
		"more": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 3}}}}},
	"o": {"type": "object", "properties": {"s": {"type": "string", "maxLength": 13},
		"p": {"type": "object", "properties": {"s": {"type": "string", "maxLength": 17}, "u": {"type": "string"},
			"lo": {"type": "array", "maxItems": 6, "items": {"type": "object", "properties": {
				"name": {"type": "string", "maxLength": 15}, "n": {"type": "integer"},
				"tags": {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 5}},
				"more": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 3}}}}}}}}}}}`
