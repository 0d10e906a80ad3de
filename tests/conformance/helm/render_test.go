// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// The loader says of each symbolic link that it follows it.
func init() { slog.SetDefault(slog.New(slog.DiscardHandler)) }

type values = map[string]any

// template does what `helm template --include-crds` does.
func template(c chart, namespace string, settings values) (*release.Release, error) {
	loaded, err := loader.Load(c.path())
	if err != nil {
		return nil, err
	}
	// A program of tests does not know which Kubernetes its Helm is of.
	kubernetes, err := common.ParseKubeVersion("v1.36.0")
	if err != nil {
		return nil, err
	}
	install := action.NewInstall(action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler)))
	install.DryRunStrategy = action.DryRunClient
	install.ReleaseName = "fairway"
	install.Namespace = namespace
	install.IncludeCRDs = true
	install.KubeVersion = kubernetes
	made, err := install.Run(loaded, settings)
	if err != nil {
		return nil, err
	}
	return made.(*release.Release), nil
}

// renderChart returns the objects of a chart, its definitions with them.
func renderChart(t *testing.T, c chart, namespace string, settings values) objects {
	t.Helper()
	made, err := template(c, namespace, settings)
	if err != nil {
		t.Fatalf("rendering the chart %s: %v", c.name, err)
	}
	return readObjects(t, made.Manifest)
}

// folders are the files of deploy/ in memory, so that a case may lay a kustomization beside them.
func folders(t *testing.T) filesys.FileSystem {
	t.Helper()
	copied := filesys.MakeFsInMemory()
	root := tree + "deploy"
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "charts" {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return copied.WriteFile(path.Join("/deploy", strings.TrimPrefix(name, root)), text)
	})
	if err != nil {
		t.Fatalf("reading deploy/: %v", err)
	}
	return copied
}

// renderFolder returns the objects of a kustomization that lies in a folder beside deploy/, with the files that it names.
func renderFolder(t *testing.T, kustomization map[string]any, files map[string]string) objects {
	t.Helper()
	system := folders(t)
	text, err := yaml.Marshal(kustomization)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := system.WriteFile("/case/"+name, text); err != nil {
			t.Fatal(err)
		}
	}
	write("kustomization.yaml", text)
	for name, text := range files {
		write(name, []byte(text))
	}
	options := krusty.MakeDefaultOptions()
	// A case takes single files of deploy/ too.
	options.LoadRestrictions = types.LoadRestrictionsNone
	rendered, err := krusty.MakeKustomizer(options).Run(system, "/case")
	if err != nil {
		t.Fatalf("rendering the folder: %v\n%s", err, text)
	}
	manifests, err := rendered.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return readObjects(t, string(manifests))
}
