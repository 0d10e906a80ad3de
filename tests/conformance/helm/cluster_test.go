// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// patience is how long a test waits for what a server does by itself.
const patience = 60 * time.Second

// cluster is the API server of KUBECONFIG.
type cluster struct {
	kubeconfig string
	config     *rest.Config
	objects    *dynamic.DynamicClient
	mapper     *restmapper.DeferredDiscoveryRESTMapper
}

var connected = sync.OnceValues(func() (*cluster, error) {
	path := os.Getenv("KUBECONFIG")
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	found, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	return &cluster{path, config, objects, mapper}, nil
})

// connect returns the server of KUBECONFIG, with the definitions that charts and folders need.
func connect(t *testing.T) *cluster {
	t.Helper()
	if os.Getenv("KUBECONFIG") == "" {
		t.Skip("KUBECONFIG names no API server")
	}
	server, err := connected()
	if err != nil {
		t.Fatalf("connecting to the API server of KUBECONFIG: %v", err)
	}
	for _, file := range []string{
		tree + "examples/cluster/gateway/definitions.yaml", tree + "deploy/gateway/parameters-crd.yaml", "testdata/monitoring.yaml",
	} {
		for _, definition := range readObjects(t, string(readFile(t, file))) {
			server.apply(t, definition, metav1.PatchOptions{})
			server.wait(t, definition, "established", isEstablished)
			server.waitForKind(t, definition)
		}
	}
	return server
}

// waitForKind waits until the server's discovery shows the kind of a definition, which may be later than that it is established.
func (c *cluster) waitForKind(t *testing.T, definition object) {
	t.Helper()
	group, _, _ := unstructured.NestedString(definition, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition, "spec", "names", "kind")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := c.mapper.RESTMapping(schema.GroupKind{Group: group, Kind: kind}); err == nil {
			return
		}
		c.mapper.Reset()
	}
	t.Fatalf("the server does not show the kind %s of %s within %s", kind, group, patience)
}

func isEstablished(o *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, condition := range conditions {
		if c := condition.(object); c["type"] == "Established" && c["status"] == "True" {
			return true
		}
	}
	return false
}

// at returns the client for an object's kind and namespace.
func (c *cluster) at(t *testing.T, o object) dynamic.ResourceInterface {
	t.Helper()
	u := unstructured.Unstructured{Object: o}
	kind := u.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(schema.GroupKind{Group: kind.Group, Kind: kind.Kind}, kind.Version)
	if err != nil {
		t.Fatalf("looking for %s: %v", key(o), err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.objects.Resource(mapping.Resource).Namespace(cmp.Or(u.GetNamespace(), "default"))
	}
	return c.objects.Resource(mapping.Resource)
}

// apply applies an object on the server's side; a field that the server does not know is an error.
func (c *cluster) apply(t *testing.T, o object, options metav1.PatchOptions) *unstructured.Unstructured {
	t.Helper()
	text, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	u := unstructured.Unstructured{Object: o}
	force := true
	options.FieldManager, options.FieldValidation, options.Force = "conformance", metav1.FieldValidationStrict, &force
	made, err := c.at(t, o).Patch(context.Background(), u.GetName(), types.ApplyYAMLPatchType, text, options)
	if err != nil {
		t.Fatalf("applying %s: %v", key(o), err)
	}
	return made
}

// get returns the object of the server, or nil.
func (c *cluster) get(t *testing.T, o object) *unstructured.Unstructured {
	t.Helper()
	u := unstructured.Unstructured{Object: o}
	found, err := c.at(t, o).Get(context.Background(), u.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatalf("reading %s: %v", key(o), err)
	}
	return found
}

// wait asks for the object until it is as it should be.
func (c *cluster) wait(t *testing.T, o object, what string, is func(*unstructured.Unstructured) bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if found := c.get(t, o); found != nil && is(found) {
			return
		}
	}
	t.Fatalf("%s is not %s within %s", key(o), what, patience)
}

// remove deletes the objects, namespaces last, and waits until they are gone.
func (c *cluster) remove(t *testing.T, all objects) {
	t.Helper()
	for _, spaces := range []bool{false, true} {
		for _, name := range all.keys() {
			o := all[name]
			if (o["kind"] == "Namespace") == spaces && o["kind"] != "CustomResourceDefinition" {
				c.removeOne(t, o)
			}
		}
	}
}

func (c *cluster) removeOne(t *testing.T, o object) {
	t.Helper()
	u := unstructured.Unstructured{Object: o}
	policy := metav1.DeletePropagationBackground
	err := c.at(t, o).Delete(context.Background(), u.GetName(), metav1.DeleteOptions{PropagationPolicy: &policy})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatalf("deleting %s: %v", key(o), err)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		found := c.get(t, o)
		if found == nil {
			return
		}
		if o["kind"] == "Namespace" && os.Getenv("FAIRWAY_SERVER") == "real" {
			c.finalize(t, found)
		}
	}
	t.Fatalf("%s is still there after %s", key(o), patience)
}

// finalize does for a namespace what the namespace controller does, which a kube-apiserver alone lacks. What these tests made in it is
// gone by then.
func (c *cluster) finalize(t *testing.T, space *unstructured.Unstructured) {
	t.Helper()
	if err := unstructured.SetNestedSlice(space.Object, []any{}, "spec", "finalizers"); err != nil {
		t.Fatal(err)
	}
	_, err := c.at(t, space.Object).Update(context.Background(), space, metav1.UpdateOptions{}, "finalize")
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		t.Fatalf("finalizing %s: %v", key(space.Object), err)
	}
}

func namespace(name string) object {
	return object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name}}
}

// missingFrom returns the first path at which a value does not have what was sent, or nothing. A server may add to maps, not to lists.
func missingFrom(sent, found any, path string) string {
	switch sent := sent.(type) {
	case object:
		entries, _ := found.(object)
		for name, entry := range sent {
			if path := missingFrom(entry, entries[name], path+"/"+name); path != "" {
				return path
			}
		}
		return ""
	case []any:
		items, _ := found.([]any)
		if len(items) != len(sent) {
			return fmt.Sprintf("%s: %v items and not %v", path, len(items), len(sent))
		}
		for i := range sent {
			if path := missingFrom(sent[i], items[i], fmt.Sprintf("%s/%d", path, i)); path != "" {
				return path
			}
		}
		return ""
	default:
		// An amount may be a number or a text: 1 and "1".
		if fmt.Sprint(whole(sent)) != fmt.Sprint(whole(found)) {
			return fmt.Sprintf("%s: %v and not %v", path, found, sent)
		}
		return ""
	}
}

// whole returns a number without a fraction as an integer, which prints the same whatever read it.
func whole(value any) any {
	if number, ok := value.(float64); ok && number == math.Trunc(number) {
		return int64(number)
	}
	return value
}
