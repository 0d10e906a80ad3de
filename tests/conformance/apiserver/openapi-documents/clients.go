// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"
	models "k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/util/proto/validation"
	"sigs.k8s.io/yaml"
)

// list is what kubectl validates by the documents alone: no server takes a List.
const list = `
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {a: b}
`

// clients asks as programs with client-go do.
func clients(_ context.Context, s *server) error {
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		return err
	}
	document, err := client.OpenAPISchema()
	if err != nil {
		return fmt.Errorf("OpenAPISchema: %w", err)
	}
	found, err := models.NewOpenAPIData(document)
	if err != nil {
		return fmt.Errorf("models of OpenAPISchema: %w", err)
	}
	model := found.LookupModel("io.k8s.api.core.v1.ConfigMap")
	if model == nil {
		return fmt.Errorf("no model of a ConfigMap among %d", len(found.ListModels()))
	}
	for text, problems := range map[string]int{list: 0, list + "unknown: 1\n": 1, list + "immutable: text\n": 1} {
		var object any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return err
		}
		if errs := validation.ValidateModel(object, model, "ConfigMap"); len(errs) != problems {
			return fmt.Errorf("%d problems wanted of %s: %v", problems, text, errs)
		}
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	for name, path := range paths {
		bytes, err := path.Schema(typeOfV3)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := proto.Unmarshal(bytes, &openapi_v3.Document{}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	spec, err := openapi3.NewRoot(client.OpenAPIV3()).GVSpec(schema.GroupVersion{Group: "apps", Version: "v1"})
	if err != nil {
		return err
	}
	if len(spec.Components.Schemas) < 50 {
		return fmt.Errorf("%d schemas of apps/v1", len(spec.Components.Schemas))
	}
	fmt.Printf("  %d models, %d group versions\n", len(found.ListModels()), len(paths))
	return nil
}
