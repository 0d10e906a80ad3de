// SPDX-License-Identifier: Apache-2.0

// Command field-manager reads cases of writes to custom resources, has the field manager of k8s.io/apimachinery do
// them, and prints the cases with what came out: tests/apiserver/data/field_manager.json. Times are left out: only
// whether there is one.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

type step struct {
	Do          string         `json:"do"` // create, update, apply
	Manager     string         `json:"manager"`
	Version     string         `json:"version,omitempty"`
	Subresource string         `json:"subresource,omitempty"`
	Force       bool           `json:"force,omitempty"`
	Object      map[string]any `json:"object"`
	Result      map[string]any `json:"result,omitempty"`
	Error       *failure       `json:"error,omitempty"`
}

type failure struct {
	Code    int32                `json:"code"`
	Message string               `json:"message"`
	Causes  []metav1.StatusCause `json:"causes,omitempty"`
}

type testCase struct {
	Case string `json:"case"`
	// A structural schema; true: that of the case before; null: none.
	Schema   any      `json:"schema"`
	Versions []string `json:"versions,omitempty"`
	Status   bool     `json:"status,omitempty"`
	Steps    []step   `json:"steps"`
}

// All versions are one, as conversion "None" has it.
type noConversion struct{}

func (noConversion) Convert(in, out, context interface{}) error { return fmt.Errorf("not used") }
func (noConversion) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	object := in.(*unstructured.Unstructured).DeepCopy()
	to, ok := gv.KindForGroupVersionKinds([]schema.GroupVersionKind{object.GroupVersionKind()})
	if !ok {
		version := gv.(schema.GroupVersion)
		to = version.WithKind(object.GetKind())
	}
	object.SetAPIVersion(to.GroupVersion().String())
	return object, nil
}
func (noConversion) ConvertFieldLabel(gvk schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

type empties struct{}

func (empties) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(kind)
	return object, nil
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func models(one testCase, crdSchema any) map[string]*spec.Schema {
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
		},
	}
	crd.Status.AcceptedNames = crd.Spec.Names
	out := map[string]*spec.Schema{}
	for _, name := range one.Versions {
		version := apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: true, Storage: true}
		if crdSchema != nil {
			text, err := json.Marshal(crdSchema)
			must(err)
			version.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{}}
			must(json.Unmarshal(text, version.Schema.OpenAPIV3Schema))
		}
		crd.Spec.Versions = append(crd.Spec.Versions, version)
	}
	for _, name := range one.Versions {
		// As the handler of custom resources does it.
		openapi, err := builder.BuildOpenAPIV3(crd, name, builder.Options{StripValueValidation: true, StripNullable: true})
		must(err)
		for key, model := range openapi.Components.Schemas {
			out[key] = model
		}
	}
	return out
}

// withoutTimes has "time": "some" where there is a time.
func withoutTimes(object *unstructured.Unstructured) map[string]any {
	out := object.DeepCopy().Object
	metadata, _ := out["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	for _, entry := range entries {
		if e := entry.(map[string]any); e["time"] != nil {
			e["time"] = "some"
		}
	}
	return out
}

func run(one *testCase, crdSchema any) {
	if len(one.Versions) == 0 {
		one.Versions = []string{"v1"}
	}
	converter, err := managedfields.NewTypeConverter(models(*one, crdSchema), false)
	must(err)
	var live *unstructured.Unstructured
	for i := range one.Steps {
		s := &one.Steps[i]
		s.Result, s.Error = nil, nil
		version := s.Version
		if version == "" {
			version = one.Versions[0]
		}
		gvk := schema.GroupVersionKind{Group: "example.com", Version: version, Kind: "Widget"}
		reset := map[fieldpath.APIVersion]fieldpath.Filter{}
		if one.Status {
			set := fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
			if s.Subresource == "status" {
				set = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
			}
			reset[fieldpath.APIVersion(gvk.GroupVersion().String())] = fieldpath.NewExcludeSetFilter(set)
		}
		manager, err := managedfields.NewDefaultCRDFieldManager(converter, noConversion{}, noDefaults{}, empties{}, gvk,
			gvk.GroupVersion(), s.Subresource, reset)
		must(err)
		object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(integers(s.Object).(map[string]any))}
		old := live
		if old == nil {
			empty, _ := empties{}.New(gvk)
			old = empty.(*unstructured.Unstructured)
		} else {
			old = old.DeepCopy()
			old.SetAPIVersion(gvk.GroupVersion().String())
		}
		var result runtime.Object
		if s.Do == "apply" {
			result, err = manager.Apply(old, object, s.Manager, s.Force)
		} else {
			if live != nil {
				object.SetUID(live.GetUID())
			}
			result = manager.UpdateNoErrors(old, object, s.Manager)
		}
		if err != nil {
			s.Error = &failure{Code: 500, Message: err.Error()}
			if status, ok := err.(apierrors.APIStatus); ok {
				s.Error.Code = status.Status().Code
				if status.Status().Details != nil {
					// Those of several managers come in random order.
					s.Error.Causes = status.Status().Details.Causes
					sort.Slice(s.Error.Causes, func(a, b int) bool {
						x, y := s.Error.Causes[a], s.Error.Causes[b]
						return x.Message+x.Field < y.Message+y.Field
					})
				}
			}
			continue
		}
		live = result.(*unstructured.Unstructured)
		s.Result = withoutTimes(live)
		if live.GetUID() == "" {
			live.SetUID("uid")
		}
	}
}

// runInOneSecond runs a case again if the second changed meanwhile: entries of managedFields are in the order of their
// times, which have whole seconds.
func runInOneSecond(one *testCase, crdSchema any) {
	for {
		begun := time.Now().Unix()
		run(one, crdSchema)
		if time.Now().Unix() == begun {
			return
		}
	}
}

// integers has int64 in place of the floats of encoding/json.
func integers(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for key := range t {
			t[key] = integers(t[key])
		}
	case []any:
		for i := range t {
			t[i] = integers(t[i])
		}
	case float64:
		if t == float64(int64(t)) {
			return int64(t)
		}
	}
	return v
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	must(err)
	var cases []testCase
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	must(decoder.Decode(&cases))
	var last any
	for i := range cases {
		crdSchema := cases[i].Schema
		if crdSchema == true {
			crdSchema = last
		} else if crdSchema != nil {
			last = crdSchema
		}
		runInOneSecond(&cases[i], crdSchema)
	}
	fmt.Println("[")
	for i, one := range cases {
		text, err := json.Marshal(one)
		must(err)
		comma := ","
		if i == len(cases)-1 {
			comma = ""
		}
		fmt.Printf("%s%s\n", text, comma)
	}
	fmt.Println("]")
}
