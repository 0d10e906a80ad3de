// SPDX-License-Identifier: Apache-2.0

// kinds-table writes the tables of Kubernetes's built-in kinds (src/apiserver/internal/kinds/data) of what its Go modules declare: the
// struct tags of the Go types, the annotations of the published OpenAPI, and the published discovery documents.
//
// usage: kinds-table KUBERNETES-API-FOLDER OUTPUT-FOLDER
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"fairway/tests/conformance/apiserver/builtin"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A schema of OpenAPI v3, as far as it is read.
type openSchema struct {
	Properties map[string]*openSchema `json:"properties"`
	Required   []string               `json:"required"`
	Default    json.RawMessage        `json:"default"`
	ListType   string                 `json:"x-kubernetes-list-type"`
	ListKeys   []string               `json:"x-kubernetes-list-map-keys"`
	MapType    string                 `json:"x-kubernetes-map-type"`
}

var (
	schemas  = map[string]*openSchema{}
	seen     = map[reflect.Type]bool{}
	embedded = map[reflect.Type][]reflect.Type{} // who embeds a type
	messages = map[string][]reflect.Type{}       // by table
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// table of a Go package: "core/v1".
func table(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[len(parts)-2:], "/")
}

func openAPIName(t reflect.Type) string {
	path := t.PkgPath()
	path = strings.Replace(path, "k8s.io/", "io.k8s.", 1)
	return strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

type protoUnmarshaler interface{ Unmarshal([]byte) error }

var unmarshaler = reflect.TypeOf((*protoUnmarshaler)(nil)).Elem()

// Types that are no objects in JSON.
var special = map[string]string{
	"resource.Quantity": "quantity", "v1.Time": "time", "v1.MicroTime": "micro-time", "v1.Duration": "duration",
	"intstr.IntOrString": "int-or-string", "runtime.RawExtension": "raw", "v1.FieldsV1": "fields", "v1.JSON": "json",
	"v1.JSONSchemaPropsOrArray": "schema-or-array", "v1.JSONSchemaPropsOrBool": "schema-or-bool",
	"v1.JSONSchemaPropsOrStringArray": "schema-or-strings",
}

// The type of one value: a scalar's name or a message's.
func one(t reflect.Type, from string) string {
	if name, ok := special[t.String()]; ok {
		if strings.HasPrefix(name, "schema-or") {
			visit(reflect.New(t).Elem().FieldByName("Schema").Type().Elem())
		}
		return name
	}
	named := func(scalar string) string {
		if t.String() == scalar {
			return scalar
		}
		return scalar + ":" + t.String()
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Int32, reflect.Int64, reflect.String, reflect.Float64:
		return named(t.Kind().String())
	case reflect.Struct:
		visit(t)
		if table(t.PkgPath()) == from {
			return t.Name()
		}
		return table(t.PkgPath()) + "." + t.Name()
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		if t.Elem().Kind() == reflect.String && reflect.PointerTo(t).Implements(unmarshaler) {
			return "strings:" + t.String()
		}
	}
	log.Fatalf("no type of the tables for %s", t)
	return ""
}

func visit(t reflect.Type) {
	if seen[t] {
		return
	}
	seen[t] = true
	messages[table(t.PkgPath())] = append(messages[table(t.PkgPath())], t)
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			embedded[f.Type] = append(embedded[f.Type], t)
		}
	}
	// What it refers to.
	for i := range t.NumField() {
		if f := t.Field(i); f.Type != reflect.TypeOf(metav1.TypeMeta{}) && f.Tag.Get("json") != "-" {
			shape(f, table(t.PkgPath()))
		}
	}
}

// The type of a field: TYPE, []TYPE or {}TYPE, and whether it is a pointer.
func shape(f reflect.StructField, from string) (string, reflect.Type, bool) {
	t, pointer := f.Type, false
	if t.Kind() == reflect.Pointer {
		t, pointer = t.Elem(), true
	}
	// A named list that is a message of its own: a field of another message, or an element of a list or map.
	message := reflect.PointerTo(t).Implements(unmarshaler) && !strings.Contains(f.Tag.Get("protobuf"), ",rep,")
	switch {
	case !message && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		elem := t.Elem()
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		}
		return "[]" + one(elem, from), t, pointer
	case t.Kind() == reflect.Map:
		if t.Key().Kind() != reflect.String {
			log.Fatalf("a map whose keys are no strings: %s", t)
		}
		return "{}" + one(t.Elem(), from), t, pointer
	}
	return one(t, from), t, pointer
}

func schemaOf(t reflect.Type) *openSchema { return schemas[openAPIName(t)] }

// What OpenAPI says of a field: at its type, or at one that embeds it.
func property(t reflect.Type, name string) (*openSchema, bool) {
	if s := schemaOf(t); s != nil {
		required := false
		for _, r := range s.Required {
			required = required || r == name
		}
		return s.Properties[name], required
	}
	for _, outer := range embedded[t] {
		if p, required := property(outer, name); p != nil {
			return p, required
		}
	}
	return nil, false
}

// A field's line.
func line(t reflect.Type, f reflect.StructField) string {
	tag := strings.Split(f.Tag.Get("json"), ",")
	name := tag[0]
	number := 0
	if proto := f.Tag.Get("protobuf"); proto != "" && proto != "-" {
		n, err := strconv.Atoi(strings.Split(proto, ",")[1])
		check(err)
		number = n
	}
	kind, goType, pointer := shape(f, table(t.PkgPath()))
	words := []string{name, strconv.Itoa(number), kind}
	inline := f.Anonymous && name == ""
	if inline {
		words[0] = "<" + f.Name + ">"
	}
	if pointer {
		words = append(words, "pointer")
	}
	for _, option := range tag[1:] {
		switch option {
		case "omitempty", "omitzero":
			words = append(words, option)
		case "inline":
		default:
			log.Fatalf("%s.%s: json option %s", t, f.Name, option)
		}
	}
	namedKey := goType.Kind() == reflect.Map && goType.Key() != reflect.TypeOf("")
	if named := goType.Name() != "" && (goType.Kind() == reflect.Map || goType.Kind() == reflect.Slice) && kind[0] != 's'; named || namedKey {
		words = append(words, "as="+goType.String())
	}
	if strategy := f.Tag.Get("patchStrategy"); strategy != "" {
		words = append(words, "patch="+strategy)
	}
	if key := f.Tag.Get("patchMergeKey"); key != "" {
		words = append(words, "key="+key)
	}
	if inline {
		return strings.Join(words, " ")
	}
	if p, required := property(t, name); p != nil {
		if required {
			words = append(words, "required")
		}
		if p.ListType != "" {
			words = append(words, "list="+p.ListType)
		}
		if len(p.ListKeys) > 0 {
			words = append(words, "keys="+strings.Join(p.ListKeys, ","))
		}
		if p.MapType != "" {
			words = append(words, "map="+p.MapType)
		}
		// "default": {} and zero values say what the Go type says already.
		if d := string(p.Default); d != "" && d != "{}" && (pointer || d != `""` && d != "0" && d != "false") {
			words = append(words, "default="+d)
		}
	}
	return strings.Join(words, " ")
}

func writeTables(output string) {
	kinds := map[string][]string{} // by table
	headers := map[string]string{}
	for _, gv := range builtin.GroupVersions() {
		known := builtin.Scheme().KnownTypes(gv)
		var names []string
		for name := range known {
			names = append(names, name)
		}
		sort.Strings(names)
		home := builtin.Table(gv)
		headers[home] = header(gv)
		for _, name := range names {
			t := known[name]
			if !builtin.IsKindOf(gv, name, t) {
				continue
			}
			visit(t)
			l := "kind " + name
			if table(t.PkgPath()) != home {
				l += " " + table(t.PkgPath()) + "." + t.Name()
			} else if t.Name() != name {
				l += " " + t.Name()
			}
			kinds[home] = append(kinds[home], l)
		}
	}
	for name, gv := range builtin.Parts {
		headers[name] = header(gv)
	}
	for name, types := range messages {
		sort.Slice(types, func(i, j int) bool { return types[i].Name() < types[j].Name() })
		var b strings.Builder
		header, ok := headers[name]
		if !ok {
			log.Fatalf("kinds have parts of %s: give it a line in builtin.Parts", name)
		}
		fmt.Fprintln(&b, header)
		for _, l := range kinds[name] {
			fmt.Fprintln(&b, l)
		}
		for _, t := range types {
			fmt.Fprint(&b, "\nmessage ", t.Name())
			if s := schemaOf(t); s != nil && s.MapType != "" {
				fmt.Fprint(&b, " map=", s.MapType)
			}
			fmt.Fprintln(&b)
			for i := range t.NumField() {
				f := t.Field(i)
				if f.Type == reflect.TypeOf(metav1.TypeMeta{}) {
					fmt.Fprintln(&b, " <TypeMeta>")
				} else if f.Tag.Get("json") != "-" {
					fmt.Fprintln(&b, " "+line(t, f))
				}
			}
		}
		check(os.WriteFile(filepath.Join(output, strings.ReplaceAll(name, "/", "_")+".txt"), []byte(b.String()), 0o644))
	}
}

func header(gv schema.GroupVersion) string { return "group " + dash(gv.Group) + " " + gv.Version }

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// A list of a discovery document, of which only these members are read.
type resource struct {
	Name, SingularName, Group, Version, Kind, StorageVersionHash string
	Namespaced                                                   bool
	ShortNames, Categories, Verbs                                []string
}

func writeResources(api, output string) {
	var aggregated struct {
		Items []struct {
			Metadata struct{ Name string }
			Versions []struct{ Version string }
		}
	}
	read(filepath.Join(api, "discovery/aggregated_v2.json"), &aggregated)
	served := map[schema.GroupVersion]bool{}
	for _, gv := range builtin.GroupVersions() {
		served[gv] = true
	}
	order := []schema.GroupVersion{{Version: "v1"}}
	for _, g := range aggregated.Items {
		for _, v := range g.Versions {
			if gv := (schema.GroupVersion{Group: g.Metadata.Name, Version: v.Version}); served[gv] && gv.Group != "" {
				order = append(order, gv)
			}
		}
	}
	var b strings.Builder
	for _, gv := range order {
		file := "api__v1.json"
		if gv.Group != "" {
			file = "apis__" + gv.Group + "__" + gv.Version + ".json"
		}
		var list struct{ Resources []resource }
		read(filepath.Join(api, "discovery", file), &list)
		if len(list.Resources) == 0 {
			continue
		}
		fmt.Fprintf(&b, "group %s %s\n", dash(gv.Group), gv.Version)
		for _, r := range list.Resources {
			words := []string{"resource", r.Name, dash(r.SingularName)}
			if strings.Contains(r.Name, "/") {
				words = []string{"sub", strings.SplitN(r.Name, "/", 2)[1]}
			}
			kind := r.Kind
			if r.Group != "" && (r.Group != gv.Group || r.Version != gv.Version) {
				kind = r.Group + "/" + r.Version + "." + r.Kind
			}
			words = append(words, kind)
			if words[0] == "resource" {
				words = append(words, map[bool]string{true: "namespaced", false: "cluster"}[r.Namespaced])
			}
			add := func(name string, list []string) {
				if len(list) > 0 {
					words = append(words, name+"="+strings.Join(list, ","))
				}
			}
			add("verbs", r.Verbs)
			add("short", r.ShortNames)
			add("categories", r.Categories)
			if r.StorageVersionHash != "" {
				words = append(words, "hash="+r.StorageVersionHash)
			}
			fmt.Fprintln(&b, strings.Join(words, " "))
		}
	}
	check(os.WriteFile(filepath.Join(output, "resources.txt"), []byte(b.String()), 0o644))
}

func read(file string, into any) {
	text, err := os.ReadFile(file)
	check(err)
	check(json.Unmarshal(text, into))
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: kinds-table KUBERNETES-API-FOLDER OUTPUT-FOLDER")
	}
	api, output := os.Args[1], os.Args[2]
	files, err := filepath.Glob(filepath.Join(api, "openapi-spec/v3/*__v*_openapi.json"))
	check(err)
	for _, file := range files {
		var document struct {
			Components struct{ Schemas map[string]*openSchema }
		}
		read(file, &document)
		for name, s := range document.Components.Schemas {
			schemas[name] = s
		}
	}
	check(os.MkdirAll(output, 0o755))
	writeTables(output)
	writeResources(api, output)
}
