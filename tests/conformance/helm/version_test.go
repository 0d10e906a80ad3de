// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"regexp"
	"testing"

	"sigs.k8s.io/yaml"
)

// The chart, the program that it is for, and the image of its folder have one version.
func TestChartsAndFoldersHaveOneVersion(t *testing.T) {
	found := regexp.MustCompile(`(?m)^project\(.*\bVERSION (\d+\.\d+\.\d+)\b`).FindSubmatch(readFile(t, tree+"CMakeLists.txt"))
	if found == nil {
		t.Fatal("CMakeLists.txt has no line `project(... VERSION ...)`: correct this test")
	}
	version := string(found[1])
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
		if len(kustomization.Images) != 1 || kustomization.Images[0].NewTag != version {
			t.Errorf("deploy/%s/kustomization.yaml has the images %+v; the project has the version %s", c.folder, kustomization.Images, version)
		}
	}
}
