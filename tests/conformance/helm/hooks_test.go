// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	chart2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// short is the time that Helm waits for what never comes.
const short = 2 * time.Second

// hooked is a release of testdata/hooks, and what its tests need of Helm.
type hooked struct {
	server *cluster
	space  string
	chart  *chart2.Chart
}

// upgrade does what `helm upgrade --wait --rollback-on-failure` does.
func (h *hooked) upgrade(t *testing.T, settings values, rollBack bool, timeout time.Duration) (*release.Release, error) {
	t.Helper()
	upgrade := action.NewUpgrade(h.server.helmIn(t, h.space))
	upgrade.Namespace, upgrade.WaitStrategy, upgrade.WaitForJobs = h.space, kube.StatusWatcherStrategy, true
	upgrade.RollbackOnFailure, upgrade.Timeout = rollBack, timeout
	made, err := upgrade.Run("hooks", h.chart, settings)
	one, _ := made.(*release.Release)
	return one, err
}

// install does what `helm install --wait --rollback-on-failure` does.
func (h *hooked) install(t *testing.T, name string, settings values, timeout time.Duration) (*release.Release, error) {
	t.Helper()
	install := action.NewInstall(h.server.helmIn(t, h.space))
	install.ReleaseName, install.Namespace, install.Timeout = name, h.space, timeout
	install.WaitStrategy, install.WaitForJobs, install.RollbackOnFailure = kube.StatusWatcherStrategy, true, true
	made, err := install.Run(h.chart, settings)
	one, _ := made.(*release.Release)
	return one, err
}

// last returns the newest revision of the release.
func (h *hooked) last(t *testing.T) *release.Release {
	t.Helper()
	made, err := action.NewGet(h.server.helmIn(t, h.space)).Run("hooks")
	if err != nil {
		t.Fatalf("reading the release: %v", err)
	}
	return made.(*release.Release)
}

func (h *hooked) check(t *testing.T, revision int, status common.Status, replicas int64) {
	t.Helper()
	made := h.last(t)
	if made.Version != revision || made.Info.Status != status {
		t.Errorf("the release is %s, revision %d, and not %s, %d: %s", made.Info.Status, made.Version, status, revision,
			made.Info.Description)
	}
	deployment := object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "hooks", "namespace": h.space}}
	if count := h.server.replicas(t, deployment); count != replicas {
		t.Errorf("it has %d replicas and not %d", count, replicas)
	}
}

// checkHook checks that a hook has run, and that its Job is there only if it failed.
func (h *hooked) checkHook(t *testing.T, made *release.Release, name string, phase release.HookPhase) {
	t.Helper()
	for _, hook := range made.Hooks {
		if hook.Name != name {
			continue
		}
		if hook.LastRun.Phase != phase {
			t.Errorf("the hook %s: %s and not %s", name, hook.LastRun.Phase, phase)
		}
		job := object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": name, "namespace": h.space}}
		if found := h.server.get(t, job); hook.Kind == "Job" && (found != nil) != (phase == release.HookPhaseFailed) {
			t.Errorf("the Job of the hook %s, which has %s, is there: %v", name, phase, found != nil)
		}
		return
	}
	t.Errorf("the release has no hook %s", name)
}

func TestAReleaseWithHooksWaitsAndRollsBackWhatFails(t *testing.T) {
	server := connect(t)
	loaded, err := loader.Load("testdata/hooks")
	if err != nil {
		t.Fatal(err)
	}
	h := &hooked{server, "helm-hooks", loaded}
	space := namespace(h.space)
	t.Cleanup(func() { server.removeOne(t, space) })
	server.apply(t, space, metav1.PatchOptions{})
	server.runWorkloads(t, h.space)
	h.live(t)
}

// live goes through the life of a release.
func (h *hooked) live(t *testing.T) {
	made, err := h.install(t, "hooks", nil, patience)
	if err != nil {
		t.Fatalf("installing: %v", err)
	}
	h.check(t, 1, common.StatusDeployed, 2)
	h.checkHook(t, made, "hooks-pre-install", release.HookPhaseSucceeded)
	lamp := object{"apiVersion": "helm.example.com/v1", "kind": "Lamp", "metadata": object{"name": "hooks", "namespace": h.space}}
	h.server.mapper.Reset()
	if path := missingFrom(object{"spec": object{"watts": 20}}, h.server.get(t, lamp).Object, ""); path != "" {
		t.Errorf("the object of the chart's definition: %s", path)
	}

	tested, shutdown, err := action.NewReleaseTesting(h.server.helmIn(t, h.space)).Run("hooks")
	if err != nil {
		t.Fatalf("running the release's tests: %v", err)
	}
	if err := shutdown(); err != nil {
		t.Errorf("ending the release's tests: %v", err)
	}
	h.checkHook(t, tested.(*release.Release), "hooks-test", release.HookPhaseSucceeded)

	if made, err = h.upgrade(t, values{"replicas": 3}, true, patience); err != nil {
		t.Fatalf("upgrading: %v", err)
	}
	h.check(t, 2, common.StatusDeployed, 3)
	h.checkHook(t, made, "hooks-pre-upgrade", release.HookPhaseSucceeded)

	// What does not become ready is rolled back, as a revision of its own.
	if _, err = h.upgrade(t, values{"replicas": 4, "stuck": true}, true, short); err == nil {
		t.Error("an upgrade that never becomes ready succeeded")
	}
	h.check(t, 4, common.StatusDeployed, 3)

	// A hook that fails stops the upgrade before anything else changes.
	if made, err = h.upgrade(t, values{"replicas": 5, "hookFails": true}, false, patience); err == nil {
		t.Error("an upgrade whose hook fails succeeded")
	}
	h.check(t, 5, common.StatusFailed, 3)
	h.checkHook(t, made, "hooks-pre-upgrade", release.HookPhaseFailed)

	// What the definition forbids is the server's to refuse.
	if _, err = h.upgrade(t, values{"replicas": 11}, true, patience); err == nil || !strings.Contains(err.Error(), "spec.watts") {
		t.Errorf("an upgrade with a Lamp of 110 watts: %v", err)
	}

	rollback := action.NewRollback(h.server.helmIn(t, h.space))
	rollback.Version, rollback.WaitStrategy, rollback.WaitForJobs, rollback.Timeout = 1, kube.StatusWatcherStrategy, true, patience
	if err := rollback.Run("hooks"); err != nil {
		t.Fatalf("rolling back: %v", err)
	}
	last := h.last(t)
	h.check(t, last.Version, common.StatusDeployed, 2)
	h.checkHook(t, last, "hooks-post-rollback", release.HookPhaseSucceeded)

	uninstall := action.NewUninstall(h.server.helmIn(t, h.space))
	uninstall.WaitStrategy, uninstall.Timeout = kube.StatusWatcherStrategy, patience
	if _, err := uninstall.Run("hooks"); err != nil {
		t.Fatalf("uninstalling: %v", err)
	}
	if h.server.get(t, lamp) != nil {
		t.Error("uninstalled, its Lamp is there")
	}

	// Nothing stays of an installation that does not become ready.
	if _, err := h.install(t, "other", values{"stuck": true}, short); err == nil {
		t.Error("an installation that never becomes ready succeeded")
	}
	deployment := object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "other", "namespace": h.space}}
	if h.server.get(t, deployment) != nil {
		t.Error("the Deployment of a failed installation is there")
	}
}
