// SPDX-License-Identifier: Apache-2.0

// Manifests that releases of tests hold.
#pragma once

#include <string>

namespace fairway::testing {

/// Returns a ConfigMap of the namespace default, with the member `a`.
inline std::string map_yaml(const std::string& name, const std::string& value,
                            const std::string& annotations = "{}") {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
         ", namespace: default, annotations: " + annotations + "}\ndata: {a: \"" + value + "\"}\n";
}

/// Returns the definition of Widgets in two versions, one of which is stored: "v1alpha1" or "v1".
inline std::string widgets_crd(const std::string& stored) {
  std::string text = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
)";
  for (const char* version : {"v1alpha1", "v1"}) {
    text += std::string("  - {name: ") + version +
            ", served: true, storage: " + (stored == version ? "true" : "false") +
            ", schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n";
  }
  return text;
}

/// A Deployment that is rolled out when the test sets its status.
inline constexpr const char* deployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example.com/web:1"}]}
)";

}  // namespace fairway::testing
