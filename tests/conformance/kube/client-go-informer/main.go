// SPDX-License-Identifier: Apache-2.0

// An informer by client-go, which says what its handlers are told (../quarantine_test.cc reads it), a line each: "added NAME MODE",
// "updated NAME MODE", "deleted NAME", and "synced" once it has had its first list. MODE is spec.mode of a struct in which it is
// required, as programs have them, with "quarantined" or "whole" behind it. It goes on until it is killed.
package main

import (
	"flag"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Mode string `json:"mode"`
	} `json:"spec"`
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

// read returns an object as a program with types of its own has it.
func read(object any) widget {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	var typed widget
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.(*unstructured.Unstructured).Object, &typed); err != nil {
		fail(err)
	}
	return typed
}

func describe(object any) string {
	typed := read(object)
	mark := "whole"
	if _, found := typed.Annotations["conversion.fairway.dev/quarantined"]; found {
		mark = "quarantined"
	}
	return fmt.Sprintf("%s %q %s", typed.Name, typed.Spec.Mode, mark)
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the API server")
	namespace := flag.String("namespace", "", "the namespace to watch")
	group := flag.String("group", "", "the group of the kind")
	version := flag.String("version", "", "the version to watch")
	resource := flag.String("resource", "", "the plural of the kind")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fail(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		fail(err)
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, *namespace, nil)
	informer := factory.ForResource(schema.GroupVersionResource{Group: *group, Version: *version, Resource: *resource}).Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { fmt.Println("added", describe(object)) },
		UpdateFunc: func(_, object any) { fmt.Println("updated", describe(object)) },
		DeleteFunc: func(object any) { fmt.Println("deleted", read(object).Name) },
	}); err != nil {
		fail(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	cache.WaitForCacheSync(stop, informer.HasSynced)
	fmt.Println("synced")
	<-stop
}
