// SPDX-License-Identifier: Apache-2.0

// kinds-random prints random objects of all built-in kinds, a line of JSON each: how Go writes them in protobuf, and the JSON that Go
// writes of them after it has read the protobuf again, and the protobuf that it makes of this JSON. Some are cut, changed or put
// together of two; where Go refuses to read them there is its error in place of the JSON.
//
// usage: kinds-random SEED COUNT
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	"fairway/tests/conformance/apiserver/builtin"
	"fairway/tests/conformance/apiserver/objects"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type line struct {
	What     string          `json:"what"`
	Kind     string          `json:"kind"`
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json,omitempty"`
	Written  []byte          `json:"written,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// What Go makes of the protobuf of an object.
func answer(kind schema.GroupVersionKind, raw []byte) (document []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	object := objects.New(kind)
	if err := object.Unmarshal(raw); err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	document, err = json.Marshal(object)
	if err == nil && !utf8.Valid(document) { // what it embeds
		return nil, errors.New("not UTF-8")
	}
	return document, err
}

// The protobuf that Go makes of a document.
func written(kind schema.GroupVersionKind, document []byte) ([]byte, error) {
	object := objects.New(kind)
	if err := json.Unmarshal(document, object); err != nil {
		return nil, err
	}
	raw, err := object.Marshal()
	if err != nil {
		return nil, err
	}
	return enveloped(kind, raw)
}

// A message in its envelope.
func enveloped(kind schema.GroupVersionKind, raw []byte) ([]byte, error) {
	unknown := runtime.Unknown{Raw: raw}
	unknown.APIVersion, unknown.Kind = kind.ToAPIVersionAndKind()
	envelope, err := unknown.Marshal()
	return append([]byte("k8s\x00"), envelope...), err
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: kinds-random SEED COUNT")
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
			write := func(what string, raw []byte) {
				envelope, err := enveloped(kind, raw)
				if err != nil {
					log.Fatal(err)
				}
				l := line{What: what, Kind: kind.String(), Protobuf: envelope}
				if l.JSON, err = answer(kind, raw); err != nil {
					l.Error = err.Error()
				} else if l.Written, err = written(kind, l.JSON); err != nil {
					log.Fatalf("%s: %v: %s", kind, err, l.JSON)
				}
				if err := encoder.Encode(l); err != nil {
					log.Fatal(err)
				}
			}
			var last []byte
			for range count {
				object := objects.New(kind)
				filler.Fill(object)
				raw, err := object.Marshal()
				if err != nil {
					log.Fatalf("%s: %v", kind, err)
				}
				write("random", raw)
				write("of two", append(bytes.Clone(last), raw...))
				changed := bytes.Clone(raw)
				if len(changed) > 0 {
					changed[random.Intn(len(changed))] = byte(random.Intn(256))
					write("changed", changed)
					write("cut", raw[:random.Intn(len(raw))])
				}
				last = raw
			}
			write("empty", nil)
		}
	}
}
