// SPDX-License-Identifier: Apache-2.0

// kinds-documents prints random documents of all built-in kinds, a line of JSON each, and what Kubernetes's Go code makes of them when
// it reads them strictly: its strict errors, and the JSON of what it would store, or its error. Documents are objects of which some
// values were changed: other types, unknown and duplicate fields, nulls.
//
// usage: kinds-documents SEED COUNT
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"math/rand"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"

	"fairway/tests/conformance/apiserver/builtin"
	"fairway/tests/conformance/apiserver/objects"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

type line struct {
	Kind     string          `json:"kind"`
	Document string          `json:"document"`
	Strict   []string        `json:"strict,omitempty"`
	JSON     json.RawMessage `json:"json,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// What Go makes of a document; "stored" as protobuf, which tells no empty list from an absent one.
func answer(kind schema.GroupVersionKind, document string) (l line) {
	l = line{Kind: kind.String(), Document: document}
	object := objects.New(kind)
	strict, err := kjson.UnmarshalStrict([]byte(document), object)
	for _, s := range strict {
		l.Strict = append(l.Strict, s.Error())
	}
	if err != nil {
		l.Error = err.Error()
		return l
	}
	raw, err := object.Marshal()
	if err != nil {
		log.Fatalf("%s: %v", kind, err)
	}
	stored := objects.New(kind)
	if err := stored.Unmarshal(raw); err != nil {
		log.Fatalf("%s: %v", kind, err)
	}
	stored.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	if l.JSON, err = json.Marshal(stored); err != nil {
		log.Fatalf("%s: %v", kind, err)
	}
	return l
}

var values = []string{`null`, `null`, `{}`, `[]`, `"text"`, `""`, `7`, `0`, `-1`, `0.5`, `true`, `false`, `99999999999`, `["a"]`, `[1]`,
	`{"a":"b"}`, `{"a":1}`, `[null]`, `{"a":null}`, `[{}]`, `"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.000006+01:00"`, `"1h"`,
	`"1000m"`, `"0.5Gi"`, `"2048Mi"`, `"1e3"`, `"YQ=="`}

// Writes a document, in which each value is changed with a chance of one in `rarity`.
func write(b *strings.Builder, value any, random *rand.Rand, rarity int) {
	if random.Intn(rarity) == 0 {
		b.WriteString(values[random.Intn(len(values))])
		return
	}
	switch v := value.(type) {
	case map[string]any:
		b.WriteString("{")
		keys := slices.Collect(maps.Keys(v))
		sort.Strings(keys)
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		first := true
		member := func(key string, value any) {
			if !first {
				b.WriteString(",")
			}
			first = false
			quoted, _ := json.Marshal(key)
			b.Write(quoted)
			b.WriteString(":")
			write(b, value, random, rarity)
		}
		for _, key := range keys {
			if random.Intn(rarity) == 0 {
				member(key+"x", v[key])
			}
			// Twice the same: which of two different ones counts is another matter.
			twice := random.Intn(rarity*2) == 0
			before := b.Len()
			member(key, v[key])
			if twice {
				text := strings.TrimPrefix(b.String()[before:], ",")
				b.WriteString("," + text)
			}
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[")
		for i, element := range v {
			if i > 0 {
				b.WriteString(",")
			}
			write(b, element, random, rarity)
		}
		b.WriteString("]")
	default:
		text, _ := json.Marshal(v)
		b.Write(text)
	}
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: kinds-documents SEED COUNT")
	}
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	random := rand.New(rand.NewSource(seed))
	filler := objects.Filler(seed)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, gv := range builtin.GroupVersions() {
		known := builtin.Scheme().KnownTypes(gv)
		for _, name := range slices.Sorted(maps.Keys(known)) {
			if !builtin.IsKindOf(gv, name, known[name]) {
				continue
			}
			kind := gv.WithKind(name)
			for i := range count {
				object := objects.New(kind)
				filler.Fill(object)
				object.GetObjectKind().SetGroupVersionKind(kind)
				text, err := json.Marshal(object)
				if err != nil {
					log.Fatal(fmt.Errorf("%s: %w", kind, err))
				}
				var tree any
				decoder := json.NewDecoder(strings.NewReader(string(text)))
				decoder.UseNumber()
				if err := decoder.Decode(&tree); err != nil {
					log.Fatal(err)
				}
				var b strings.Builder
				write(&b, tree, random, []int{1 << 30, 400, 60}[i%3])
				if err := encoder.Encode(answer(kind, b.String())); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
}
