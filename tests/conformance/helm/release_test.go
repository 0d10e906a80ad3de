// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"log/slog"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// helmIn returns Helm's configuration for a namespace of the server.
func (c *cluster) helmIn(t *testing.T, space string) *action.Configuration {
	t.Helper()
	flags := genericclioptions.NewConfigFlags(false)
	// What it remembers of this server's kinds ends with the test.
	cache := t.TempDir()
	flags.KubeConfig, flags.Namespace, flags.CacheDir = &c.kubeconfig, &space, &cache
	configuration := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	if err := configuration.Init(flags, space, "secret"); err != nil {
		t.Fatalf("preparing Helm: %v", err)
	}
	return configuration
}

// install does what `helm install --take-ownership --force-conflicts` does.
func (c *cluster) install(t *testing.T, one chart, space string, settings values) *release.Release {
	t.Helper()
	loaded, err := loader.Load(one.path())
	if err != nil {
		t.Fatal(err)
	}
	install := action.NewInstall(c.helmIn(t, space))
	install.ReleaseName, install.Namespace = "fairway", space
	install.TakeOwnership, install.ForceConflicts = true, true
	install.WaitStrategy = kube.HookOnlyStrategy
	made, err := install.Run(loaded, settings)
	if err != nil {
		t.Fatalf("installing %s: %v", one.name, err)
	}
	return made.(*release.Release)
}

// upgrade does what `helm upgrade --reuse-values` does.
func (c *cluster) upgrade(t *testing.T, one chart, space string, settings values) *release.Release {
	t.Helper()
	loaded, err := loader.Load(one.path())
	if err != nil {
		t.Fatal(err)
	}
	upgrade := action.NewUpgrade(c.helmIn(t, space))
	upgrade.Namespace, upgrade.ReuseValues, upgrade.WaitStrategy = space, true, kube.HookOnlyStrategy
	made, err := upgrade.Run("fairway", loaded, settings)
	if err != nil {
		t.Fatalf("upgrading %s: %v", one.name, err)
	}
	return made.(*release.Release)
}

func (c *cluster) rollBack(t *testing.T, space string, version int) {
	t.Helper()
	rollback := action.NewRollback(c.helmIn(t, space))
	rollback.Version, rollback.WaitStrategy = version, kube.HookOnlyStrategy
	if err := rollback.Run("fairway"); err != nil {
		t.Fatalf("rolling back to revision %d: %v", version, err)
	}
}

func (c *cluster) uninstall(t *testing.T, space string) {
	t.Helper()
	uninstall := action.NewUninstall(c.helmIn(t, space))
	uninstall.WaitStrategy = kube.HookOnlyStrategy
	if _, err := uninstall.Run("fairway"); err != nil {
		t.Fatalf("uninstalling: %v", err)
	}
}

// change is an upgrade that a chart's life has, and the object that it takes away, by its kind and name.
type change struct {
	values     values
	kind, name string
}

var changes = map[string]change{
	"fairway-update-service": {values{"replicas": 3, "networkPolicy": false}, "NetworkPolicy", "fairway-updates"},
	"fairway-operator":       {values{"replicas": 3, "releases": values{"signed": false}}, "ConfigMap", "fairway-release-keys"},
	"fairway-gateway":        {values{"replicas": 3, "class": values{"create": false}}, "GatewayClass", "fairway"},
}

// workload returns the Deployment or StatefulSet.
func workload(all objects) object {
	if set := all.ofKind("StatefulSet"); set != nil {
		return set
	}
	return all.ofKind("Deployment")
}

func (c *cluster) replicas(t *testing.T, o object) int64 {
	t.Helper()
	found := c.get(t, o)
	if found == nil {
		t.Fatalf("%s is not there", key(o))
	}
	count, _, _ := unstructured.NestedInt64(found.Object, "spec", "replicas")
	return count
}

// checkInstalled checks that all objects of a release are there, as the chart has them.
func (c *cluster) checkInstalled(t *testing.T, made *release.Release, all objects) {
	t.Helper()
	if made.Info.Status != common.StatusDeployed {
		t.Errorf("the release is %s: %s", made.Info.Status, made.Info.Description)
	}
	for _, name := range all.keys() {
		found := c.get(t, all[name])
		if found == nil {
			t.Errorf("%s is not there", name)
		} else if path := missingFrom(all[name], found.Object, ""); path != "" {
			t.Errorf("the server made something else of %s: %s", name, path)
		}
	}
}

var everything = values{
	"namespace":  values{"create": true},
	"monitoring": values{"serviceMonitor": true, "alerts": true, "dashboards": true},
}

func TestAReleaseIsInstalledUpgradedRolledBackAndUninstalled(t *testing.T) {
	server := connect(t)
	for _, c := range charts {
		t.Run(c.name, func(t *testing.T) {
			space := "helm-" + c.name
			all := renderChart(t, c, space, everything)
			t.Cleanup(func() { server.remove(t, all) })
			server.apply(t, namespace(space), metav1.PatchOptions{})
			server.checkInstalled(t, server.install(t, c, space, everything), all)

			step := changes[c.name]
			gone := all.find(func(o object) bool { return o["kind"] == step.kind && o["metadata"].(object)["name"] == step.name })
			if gone == nil {
				t.Fatalf("the chart has no %s %s", step.kind, step.name)
			}
			if made := server.upgrade(t, c, space, step.values); made.Info.Status != common.StatusDeployed || made.Version != 2 {
				t.Errorf("the release is %s, revision %d: %s", made.Info.Status, made.Version, made.Info.Description)
			}
			if count := server.replicas(t, workload(all)); count != 3 {
				t.Errorf("upgraded to 3 replicas, it has %d", count)
			}
			if server.get(t, gone) != nil {
				t.Errorf("the upgrade has not removed %s", key(gone))
			}

			server.rollBack(t, space, 1)
			if count := server.replicas(t, workload(all)); count != 2 {
				t.Errorf("rolled back to 2 replicas, it has %d", count)
			}
			if server.get(t, gone) == nil {
				t.Errorf("the rollback has not brought back %s", key(gone))
			}

			server.uninstall(t, space)
			for _, name := range all.keys() {
				// Helm removes no definitions, and the chart asks for the namespace to stay.
				kind := all[name]["kind"]
				stays := kind == "Namespace" || kind == "CustomResourceDefinition"
				if there := server.get(t, all[name]) != nil; there != stays {
					t.Errorf("uninstalled, %s is there: %v", name, there)
				}
			}
		})
	}
}

// What kubectl has applied of a folder becomes a release, and no object is made anew.
func TestAReleaseTakesOverAFolder(t *testing.T) {
	server := connect(t)
	for _, c := range charts {
		t.Run(c.name, func(t *testing.T) {
			folder := renderFolder(t, map[string]any{"resources": []string{"../deploy/" + c.folder}}, nil)
			t.Cleanup(func() { server.remove(t, folder) })
			server.applyFolder(t, c.folder)
			before := server.get(t, workload(folder)).GetUID()

			all := renderChart(t, c, c.namespace, values{"replicas": 3})
			server.checkInstalled(t, server.install(t, c, c.namespace, values{"replicas": 3}), all)
			if after := server.get(t, workload(all)).GetUID(); after != before {
				t.Errorf("%s was made anew", key(workload(all)))
			}
			server.uninstall(t, c.namespace)
			if server.get(t, workload(all)) != nil {
				t.Errorf("uninstalled, %s is there", key(workload(all)))
			}
		})
	}
}
