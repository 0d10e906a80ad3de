// SPDX-License-Identifier: Apache-2.0

// Package objects makes random objects of Kubernetes's built-in kinds.
package objects

import (
	"math/rand"

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

// Object is one with protobuf.
type Object interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// New is an empty object of a built-in kind.
func New(kind schema.GroupVersionKind) Object {
	object, err := builtin.Scheme().New(kind)
	if err != nil {
		panic(err)
	}
	return object.(Object)
}

// Filler fills objects with values that follow from the seed.
func Filler(seed int64) *randfill.Filler {
	codecs := serializer.NewCodecFactory(builtin.Scheme())
	filler := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, funcs), rand.NewSource(seed), codecs)
	return filler.NilChance(0.4).NumElements(0, 3).MaxDepth(30)
}
