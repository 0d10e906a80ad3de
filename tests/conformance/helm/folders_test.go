// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kubectl runs it, and returns what it prints.
func (c *cluster) kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	program := os.Getenv("KUBECTL")
	if program == "" {
		var err error
		if program, err = exec.LookPath("kubectl"); err != nil {
			t.Skipf("kubectl is absent: %v", err)
		}
	}
	command := exec.Command(program, arguments...)
	// What it remembers of this server's kinds ends with the test.
	command.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "KUBECACHEDIR="+t.TempDir())
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// checkFolder checks that all objects of a folder are there, as it has them. It returns what changes when one does.
func (c *cluster) checkFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := renderFolder(t, map[string]any{"resources": []string{"../deploy/" + folder}}, nil)
	states := map[string]string{}
	for _, name := range all.keys() {
		if found := c.get(t, all[name]); found == nil {
			t.Errorf("deploy/%s: %s is not there", folder, name)
		} else if path := missingFrom(all[name], found.Object, ""); path != "" {
			t.Errorf("deploy/%s: the server has something else than %s: %s", folder, name, path)
		} else {
			states[name] = fmt.Sprint("uid ", found.GetUID(), ", generation ", found.GetGeneration())
		}
	}
	return states
}

// applyFolder does what docs/deploy.md says, and checks that a second time changes nothing.
func (c *cluster) applyFolder(t *testing.T, folder string) {
	t.Helper()
	c.kubectl(t, "apply", "-k", tree+"deploy/"+folder)
	before := c.checkFolder(t, folder)
	c.kubectl(t, "apply", "-k", tree+"deploy/"+folder)
	for name, state := range c.checkFolder(t, folder) {
		if before[name] != state {
			t.Errorf("deploy/%s: applied once more, %s is another one: %s, and then %s", folder, name, before[name], state)
		}
	}
}

func (c *cluster) removeFolder(t *testing.T, folder string) {
	t.Helper()
	c.remove(t, renderFolder(t, map[string]any{"resources": []string{"../deploy/" + folder}}, nil))
}

func TestKubectlAppliesEachFolderAlone(t *testing.T) {
	server := connect(t)
	for _, folder := range []string{"migration", "operator", "update-service", "gateway"} {
		t.Run(folder, func(t *testing.T) {
			all := renderFolder(t, map[string]any{"resources": []string{"../deploy/" + folder}}, nil)
			server.remove(t, all)
			t.Cleanup(func() { server.remove(t, all) })
			server.applyFolder(t, folder)
		})
	}
}

func TestKubectlAppliesMigrationsBesideTheOperator(t *testing.T) {
	server := connect(t)
	for _, order := range [][]string{{"operator", "migration"}, {"migration", "operator"}} {
		t.Run(strings.Join(order, " first, then "), func(t *testing.T) {
			t.Cleanup(func() {
				server.removeFolder(t, "migration")
				server.removeFolder(t, "operator")
			})
			server.applyFolder(t, order[0])
			server.applyFolder(t, order[1])
			// Neither changes what both have.
			server.checkFolder(t, order[0])
		})
	}
}

func TestKubectlAppliesMonitoring(t *testing.T) {
	server := connect(t)
	all := renderFolder(t, map[string]any{"resources": []string{"../deploy/monitoring"}}, nil)
	spaces := objects{}
	for _, name := range all.keys() {
		metadata := all[name]["metadata"].(object)
		if space, ok := metadata["namespace"].(string); ok {
			o := namespace(space)
			spaces[key(o)] = o
		}
	}
	for _, space := range spaces {
		server.apply(t, space, metav1.PatchOptions{})
	}
	t.Cleanup(func() {
		server.remove(t, all)
		server.remove(t, spaces)
	})
	server.applyFolder(t, "monitoring")
}
