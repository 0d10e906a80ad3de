// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// difference is one in which a chart may differ from its folder. It takes it away from both, and says whether it was there.
type difference struct {
	name   string
	remove func(t *testing.T, chart, folder objects) bool
}

// differences are all that there are.
var differences = []difference{
	{"the chart asks Helm to keep the namespace when the release goes", keptNamespace},
	{"the folder names the ConfigMap of settings by its content, the chart notes the content in the Pods' annotations", namedSettings},
	{"the folder has comments in settings.toml, and another order", writtenSettings},
}

func keptNamespace(_ *testing.T, chart, _ objects) bool {
	return removeEntry(chart.ofKind("Namespace"), "helm.sh/resource-policy", "metadata", "annotations")
}

var settingsName = regexp.MustCompile(`^fairway-updates-[0-9a-z]{10}$`)

func namedSettings(t *testing.T, chart, folder objects) bool {
	set := folder.ofKind("StatefulSet")
	settings := folder.find(func(o object) bool {
		return o["kind"] == "ConfigMap" && settingsName.MatchString(o["metadata"].(object)["name"].(string))
	})
	if settings == nil || set == nil {
		return false
	}
	metadata := settings["metadata"].(object)
	name := metadata["name"]
	volumes, _, _ := unstructured.NestedSlice(set, "spec", "template", "spec", "volumes")
	named := false
	for _, volume := range volumes {
		if source, ok := volume.(object)["configMap"].(object); ok && source["name"] == name {
			source["name"] = "fairway-updates"
			named = true
		}
	}
	if !named {
		t.Errorf("no volume of the folder's StatefulSet has the ConfigMap %s", name)
	}
	if err := unstructured.SetNestedSlice(set, volumes, "spec", "template", "spec", "volumes"); err != nil {
		t.Error(err)
	}
	delete(folder, key(settings))
	metadata["name"] = "fairway-updates"
	folder.add(t, settings)
	return removeEntry(chart.ofKind("StatefulSet"), "fairway.dev/settings", "spec", "template", "metadata", "annotations")
}

func writtenSettings(t *testing.T, chart, folder objects) bool {
	differed := false
	var written []string
	for _, side := range []objects{chart, folder} {
		for _, name := range side.keys() {
			data, _, _ := unstructured.NestedMap(side[name], "data")
			text, there := data["settings.toml"].(string)
			if !there {
				continue
			}
			var settings map[string]any
			if _, err := toml.Decode(text, &settings); err != nil {
				t.Errorf("reading settings.toml of %s: %v\n%s", name, err, text)
			}
			data["settings.toml"] = settings
			side[name]["data"] = data
			written = append(written, text)
		}
	}
	if len(written) == 2 {
		differed = written[0] != written[1]
	}
	return differed
}

// removeEntry removes an entry of the map below the path, and the map if it was the last one. It says whether it was there.
func removeEntry(o object, name string, path ...string) bool {
	if o == nil {
		return false
	}
	entries, found, _ := unstructured.NestedMap(o, path...)
	if _, there := entries[name]; !found || !there {
		return false
	}
	unstructured.RemoveNestedField(o, append(path, name)...)
	if len(entries) == 1 {
		unstructured.RemoveNestedField(o, path...)
	}
	return true
}

// compare reports each object that only one side has, or that differs, once the named differences are taken away. It returns the names
// of those that were there.
func compare(t *testing.T, chart, folder objects) []string {
	t.Helper()
	var found []string
	for _, one := range differences {
		if one.remove(t, chart, folder) {
			found = append(found, one.name)
		}
	}
	for _, name := range chart.keys() {
		other, there := folder[name]
		if !there {
			t.Errorf("only the chart has %s", name)
		} else if !reflect.DeepEqual(chart[name], other) {
			t.Errorf("%s differs (-chart, +folder)\n%s", name, linesThatDiffer(t, chart[name], other))
		}
	}
	for _, name := range folder.keys() {
		if _, there := chart[name]; !there {
			t.Errorf("only the folder has %s", name)
		}
	}
	return found
}

// linesThatDiffer returns the lines of either object that the other one does not have as often.
func linesThatDiffer(t *testing.T, chart, folder object) string {
	t.Helper()
	lines := func(o object) []string {
		text, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(text), "\n")
	}
	ours, theirs := lines(chart), lines(folder)
	count := map[string]int{}
	for _, line := range ours {
		count[line]++
	}
	for _, line := range theirs {
		count[line]--
	}
	var text strings.Builder
	for _, line := range ours {
		if count[line] > 0 {
			fmt.Fprintf(&text, "- %s\n", line)
		}
	}
	for _, line := range theirs {
		if count[line] < 0 {
			fmt.Fprintf(&text, "+ %s\n", line)
		}
	}
	if text.Len() == 0 {
		return "only the order of lists differs"
	}
	return text.String()
}
