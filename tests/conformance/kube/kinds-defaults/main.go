// SPDX-License-Identifier: Apache-2.0

// kinds-defaults reads a list of cases, [{"document": ...}, ...], and writes each document and what Kubernetes's own defaulting makes of
// it. tests/apiserver/data/defaults.json is its input and its output:
//
//	go run ./kinds-defaults < ../../apiserver/data/defaults.json
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

type object interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func main() {
	scheme := legacyscheme.Scheme
	apiextensions.Install(scheme)
	var cases []struct{ Document json.RawMessage }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		log.Fatal(err)
	}
	for i, one := range cases {
		var kind struct{ APIVersion, Kind string }
		if err := json.Unmarshal(one.Document, &kind); err != nil {
			log.Fatal(err)
		}
		gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
		made, err := scheme.New(gvk)
		if err != nil {
			log.Fatal(err)
		}
		if err := json.Unmarshal(one.Document, made); err != nil {
			log.Fatal(err)
		}
		scheme.Default(made)
		// As it is stored: no empty lists.
		raw, err := made.(object).Marshal()
		if err != nil {
			log.Fatal(err)
		}
		stored, _ := scheme.New(gvk)
		if err := stored.(object).Unmarshal(raw); err != nil {
			log.Fatal(err)
		}
		stored.GetObjectKind().SetGroupVersionKind(gvk)
		text, err := json.Marshal(stored)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s{\"document\": %s,\n  \"defaulted\": %s}", map[bool]string{true: "[\n", false: ",\n"}[i == 0], one.Document, text)
	}
	fmt.Println("\n]")
}
