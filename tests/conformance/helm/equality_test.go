// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"slices"
	"testing"
)

// equality is a setting as values of a chart, and as a kustomization of its folder.
type equality struct {
	Name          string            `json:"name"`
	Values        values            `json:"values"`
	Kustomization map[string]any    `json:"kustomization"`
	Files         map[string]string `json:"files"`
}

func equalitiesOf(t *testing.T, c chart) []equality {
	t.Helper()
	return readTable[equality](t, "cases/"+c.name+".yaml")
}

// folderOf returns the objects of the folder of a chart as it is.
func folderOf(t *testing.T, c chart) objects {
	t.Helper()
	return renderFolder(t, map[string]any{"resources": []string{"../deploy/" + c.folder}}, nil)
}

// beside adds the definition that deploy/gateway has beside its kustomization, and the chart in crds/.
func beside(t *testing.T, c chart, folder objects) objects {
	t.Helper()
	if c.folder == "gateway" {
		for _, definition := range readObjects(t, string(readFile(t, tree+"deploy/gateway/parameters-crd.yaml"))) {
			folder.add(t, definition)
		}
	}
	return folder
}

func TestAChartRendersItsFolder(t *testing.T) {
	var found []string
	for _, c := range charts {
		t.Run(c.name, func(t *testing.T) {
			made := renderChart(t, c, c.namespace, values{"namespace": values{"create": true}})
			found = append(found, compare(t, made, beside(t, c, folderOf(t, c)))...)
		})
	}
	// A difference that is gone is no longer one that may be.
	for _, one := range differences {
		if !slices.Contains(found, one.name) {
			t.Errorf("no chart has this difference any more; remove it from differences_test.go: %s", one.name)
		}
	}
}

func TestAChartLeavesOutTheNamespaceAloneByItself(t *testing.T) {
	for _, c := range charts {
		t.Run(c.name, func(t *testing.T) {
			folder := beside(t, c, folderOf(t, c))
			space := folder.ofKind("Namespace")
			if space == nil {
				t.Fatalf("deploy/%s has no Namespace", c.folder)
			}
			delete(folder, key(space))
			compare(t, renderChart(t, c, c.namespace, nil), folder)
		})
	}
}

func TestAChartRendersItsFolderWithTheSameSettings(t *testing.T) {
	for _, c := range charts {
		for _, one := range equalitiesOf(t, c) {
			t.Run(c.name+"/"+one.Name, func(t *testing.T) {
				folder := renderFolder(t, one.Kustomization, one.Files)
				if space := folder.ofKind("Namespace"); space != nil {
					delete(folder, key(space))
				}
				compare(t, renderChart(t, c, c.namespace, one.Values), beside(t, c, folder))
			})
		}
	}
}

// A chart names its namespace nowhere: it goes into that of the release.
func TestAChartGoesIntoAnyNamespace(t *testing.T) {
	for _, c := range charts {
		// The second is a number for YAML.
		for _, wanted := range []string{"elsewhere", "123"} {
			t.Run(c.name+"/"+wanted, func(t *testing.T) {
				made := renderChart(t, c, wanted, everything)
				if space := made.ofKind("Namespace"); space["metadata"].(object)["name"] != wanted {
					t.Errorf("the namespace of the release is not rendered: %v", space)
				}
				for _, name := range made.keys() {
					for _, space := range namespacesIn(made[name]) {
						// Events about objects without a namespace are in the namespace default.
						if space != wanted && (c.folder != "operator" || space != "default") {
							t.Errorf("%s names the namespace %v", name, space)
						}
					}
				}
			})
		}
	}
}

// namespacesIn returns all that stands below a key `namespace` in a value, and is not made of parts.
func namespacesIn(value any) []any {
	var spaces []any
	switch value := value.(type) {
	case object:
		for name, entry := range value {
			_, entries := entry.(object)
			_, items := entry.([]any)
			if name == "namespace" && !entries && !items {
				spaces = append(spaces, entry)
			} else {
				spaces = append(spaces, namespacesIn(entry)...)
			}
		}
	case []any:
		for _, item := range value {
			spaces = append(spaces, namespacesIn(item)...)
		}
	}
	return spaces
}
