// SPDX-License-Identifier: Apache-2.0

// Package clientgo shows tests with client-go, each with a server of its own.
package clientgo

import (
	"testing"

	testserver "github.com/fairway/fairway/examples/testserver/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

func TestBoatsHaveAMast(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t, "--apply=boats.yaml")
	config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	boats := dynamic.NewForConfigOrDie(config).
		Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "boats"}).Namespace("default")
	boat := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Boat", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{},
	}}
	made, err := boats.Create(t.Context(), boat, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if masts, _, _ := unstructured.NestedInt64(made.Object, "spec", "masts"); masts != 1 {
		t.Errorf("a boat has %d masts", masts)
	}
}
