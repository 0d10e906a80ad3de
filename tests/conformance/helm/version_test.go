// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"regexp"
	"testing"

	"sigs.k8s.io/yaml"
)

// versionIn returns what the group of a pattern matches in a file of the project.
func versionIn(t *testing.T, file, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindSubmatch(readFile(t, tree+file))
	if found == nil {
		t.Fatalf("%s has no line that matches %s: correct this test", file, pattern)
	}
	return string(found[1])
}

// The chart, the program that it is for, and the image of its folder have one version; Envoy's is the one that tests run with.
func TestChartsAndFoldersHaveOneVersion(t *testing.T) {
	version := versionIn(t, "CMakeLists.txt", `(?m)^project\(.*\bVERSION (\d+\.\d+\.\d+)\b`)
	envoy := "v" + versionIn(t, "scripts/dev/gateway.sh", `\benvoy-server==(\d+\.\d+\.\d+)\b`)
	for _, c := range charts {
		var about struct {
			Name       string `json:"name"`
			Version    string `json:"version"`
			AppVersion string `json:"appVersion"`
		}
		if err := yaml.Unmarshal(readFile(t, c.path()+"/Chart.yaml"), &about); err != nil {
			t.Fatal(err)
		}
		if about.Name != c.name || about.Version != version || about.AppVersion != version {
			t.Errorf("Chart.yaml of %s has %+v; the project has the version %s", c.name, about, version)
		}
		var kustomization struct {
			Images []struct {
				Name   string `json:"name"`
				NewTag string `json:"newTag"`
			} `json:"images"`
		}
		if err := yaml.Unmarshal(readFile(t, tree+"deploy/"+c.folder+"/kustomization.yaml"), &kustomization); err != nil {
			t.Fatal(err)
		}
		if len(kustomization.Images) == 0 {
			t.Errorf("deploy/%s/kustomization.yaml names no image", c.folder)
		}
		for _, image := range kustomization.Images {
			wanted := version
			if image.Name == "envoy" {
				wanted = envoy
			}
			if image.NewTag != wanted {
				t.Errorf("deploy/%s/kustomization.yaml has the image %+v, and not the version %s", c.folder, image, wanted)
			}
		}
	}
}
