// kinds-random prints random objects of all built-in kinds, a line of JSON each: how Go writes them in protobuf, and the JSON that Go
// writes of them after it has read the protobuf again. Some are cut, changed or put together of two; where Go refuses to read them
// there is its error in place of the JSON.
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

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// What is any JSON to the API.
var documents = []string{`null`, `{}`, `{"a":[1,-2,true,null,"x"]}`, `"text"`, `7`, `0.5`, `[{"b":{"c":""}}]`}

func document(c randfill.Continue) []byte { return []byte(documents[c.Intn(len(documents))]) }

func shallow(c randfill.Continue) *apiextensionsv1.JSONSchemaProps {
	s := &apiextensionsv1.JSONSchemaProps{Type: c.String(0)}
	if c.Bool() {
		maximum := float64(c.Int31()) / 4
		s.Maximum = &maximum
		s.Default = &apiextensionsv1.JSON{Raw: document(c)}
	}
	return s
}

func funcs(codecs serializer.CodecFactory) []interface{} {
	return []interface{}{
		func(s *apiextensionsv1.JSONSchemaProps, c randfill.Continue) { // which holds itself
			*s = *shallow(c)
			for range c.Intn(3) {
				if s.Properties == nil {
					s.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
					s.Dependencies = apiextensionsv1.JSONSchemaDependencies{}
				}
				s.Properties[c.String(0)] = *shallow(c)
				s.AllOf = append(s.AllOf, *shallow(c))
				var dependency apiextensionsv1.JSONSchemaPropsOrStringArray
				c.Fill(&dependency)
				s.Dependencies[c.String(0)] = dependency
			}
			c.Fill(&s.Items)
			c.Fill(&s.AdditionalProperties)
			c.Fill(&s.Enum)
			c.Fill(&s.Required)
			c.Fill(&s.MinLength)
			c.Fill(&s.XPreserveUnknownFields)
			c.Fill(&s.XValidations)
			c.Fill(&s.XListMapKeys)
		},
		func(j *apiextensionsv1.JSON, c randfill.Continue) { j.Raw = document(c) },
		func(o *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				o.Schema = shallow(c)
			} else {
				o.JSONSchemas = []apiextensionsv1.JSONSchemaProps{*shallow(c), *shallow(c)}
			}
		},
		func(o *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			if o.Allows = c.Bool(); c.Bool() {
				o.Schema = shallow(c)
			}
		},
		func(o *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				o.Schema = shallow(c)
			} else {
				c.Fill(&o.Property)
			}
		},
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = document(c) },
		func(f *metav1.FieldsV1, c randfill.Continue) {
			f.SetRawBytes([]byte(`{"f:metadata":{"f:labels":{".":{}}}}`))
		},
		func(t *metav1.TypeMeta, c randfill.Continue) {},
		func(i *intstr.IntOrString, c randfill.Continue) {
			if c.Bool() {
				*i = intstr.FromInt32(c.Int31() - 1<<30)
			} else {
				*i = intstr.FromString(c.String(0))
			}
		},
	}
}

type line struct {
	What     string          `json:"what"`
	Kind     string          `json:"kind"`
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json,omitempty"`
	Error    string          `json:"error,omitempty"`
}

type message interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func newObject(t schema.GroupVersionKind) message {
	object, err := builtin.Scheme().New(t)
	if err != nil {
		log.Fatal(err)
	}
	return object.(message)
}

// What Go makes of the protobuf of an object.
func answer(kind schema.GroupVersionKind, raw []byte) (document []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	object := newObject(kind)
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
	codecs := serializer.NewCodecFactory(builtin.Scheme())
	filler := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, funcs), rand.NewSource(seed), codecs)
	filler.NilChance(0.4).NumElements(0, 3).MaxDepth(30)
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
			if _, ok := newObject(kind).(message); !ok {
				log.Fatalf("%s has no protobuf", kind)
			}
			write := func(what string, raw []byte) {
				unknown := runtime.Unknown{Raw: raw}
				unknown.APIVersion, unknown.Kind = kind.ToAPIVersionAndKind()
				envelope, err := unknown.Marshal()
				if err != nil {
					log.Fatal(err)
				}
				l := line{What: what, Kind: kind.String(), Protobuf: append([]byte("k8s\x00"), envelope...)}
				if document, err := answer(kind, raw); err != nil {
					l.Error = err.Error()
				} else {
					l.JSON = document
				}
				if err := encoder.Encode(l); err != nil {
					log.Fatal(err)
				}
			}
			var last []byte
			for range count {
				object := newObject(kind)
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
