// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// tree is the project, as seen from the folder of these tests.
const tree = "../../../"

// chart names a chart of deploy/charts, the folder of deploy/ that it stands for, and its namespace there.
type chart struct {
	name, folder, namespace string
}

var charts = []chart{
	{"fairway-update-service", "update-service", "fairway-updates"},
	{"fairway-operator", "operator", "fairway-system"},
	{"fairway-gateway", "gateway", "fairway-gateway"},
}

func (c chart) path() string { return tree + "deploy/charts/" + c.name }

// chartOf returns the chart of that name.
func chartOf(t *testing.T, name string) chart {
	t.Helper()
	for _, c := range charts {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("there is no chart %q in deploy/charts: correct the name in the case", name)
	return chart{}
}

// object is one object of Kubernetes.
type object = map[string]any

// key names an object: what no two objects of a cluster have in common.
func key(o object) string {
	u := unstructured.Unstructured{Object: o}
	return fmt.Sprintf("%s %s %s/%s", u.GetAPIVersion(), u.GetKind(), u.GetNamespace(), u.GetName())
}

// objects are the objects of a set of manifests by their keys.
type objects map[string]object

func (all objects) keys() []string { return slices.Sorted(maps.Keys(all)) }

// add takes up an object, which must not be there yet.
func (all objects) add(t *testing.T, o object) {
	t.Helper()
	if _, twice := all[key(o)]; twice {
		t.Errorf("%s is rendered twice", key(o))
	}
	all[key(o)] = o
}

// find returns the first object that is wanted, or nil.
func (all objects) find(wanted func(object) bool) object {
	for _, name := range all.keys() {
		if wanted(all[name]) {
			return all[name]
		}
	}
	return nil
}

// ofKind returns the only object of the kind, or nil.
func (all objects) ofKind(kind string) object {
	return all.find(func(o object) bool { return o["kind"] == kind })
}

var documentEnd = regexp.MustCompile(`(?m)^---.*\n`)

// readObjects reads the documents of a text of YAML.
func readObjects(t *testing.T, text string) objects {
	t.Helper()
	all := objects{}
	for _, document := range documentEnd.Split(text, -1) {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatalf("reading a manifest: %v\n%s", err, document)
		}
		if len(o) > 0 {
			all.add(t, o)
		}
	}
	return all
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// readTable reads a file of cases; a key that no case has is an error.
func readTable[T any](t *testing.T, path string) []T {
	t.Helper()
	var table []T
	if err := yaml.UnmarshalStrict(readFile(t, path), &table); err != nil {
		t.Fatalf("reading %s: %v", path, err)
	}
	return table
}
