// SPDX-License-Identifier: Apache-2.0

// The kind of widgets.h, quarantined: v1 cannot say "huge", and v1beta1 not "stuck".
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file.h"
#include "conversion/widgets.h"
#include "webhook/crd_registration.h"

namespace fairway::conversion::testing {

inline Result<k8s::Dynamic> from_v1_unless_stuck(k8s::Dynamic object) {
  if (object.text("spec.mode") == "stuck") return invalid_field("spec.mode", "'stuck' has no older form");
  return from_v1(std::move(object));
}

/// Gives all versions of a definition the subresource scale.
inline k8s::CustomResourceDefinition with_scale(k8s::CustomResourceDefinition definition) {
  for (k8s::Editor& version : definition.edit_items("spec.versions")) {
    const char* replicas = version.text("name") == "v1" ? ".spec.capacity.replicas" : ".spec.replicas";
    version.set("subresources.scale",
                json::Object{{"specReplicasPath", replicas}, {"statusReplicasPath", ".status.replicas"}});
  }
  return definition;
}

/// The definition of widgets-crd.yaml with the given storage version; any size can be stored, and v1 has a
/// default for an empty object.
inline k8s::CustomResourceDefinition quarantined_definition(std::string_view stored = "v1") {
  const std::string file = std::string(FAIRWAY_SOURCE_DIR) + "/tests/conversion/data/widgets-crd.yaml";
  auto definition = webhook::read_definitions(read_file(file).value(), file).value().front();
  for (k8s::Editor& version : definition.edit_items("spec.versions")) {
    version.set("storage", version.text("name") == stored);
    k8s::Editor spec = version.edit("schema.openAPIV3Schema.properties.spec");
    spec.set("x-kubernetes-preserve-unknown-fields", true);
    spec.erase("properties.size.enum");
    if (version.text("name") != "v1") continue;
    spec.set("default", json::Object{});
    spec.set("properties.mode.default", "slow");
  }
  return definition;
}

inline KindConverters& add_quarantined_widgets(Converters& converters) {
  return converters.kind(group, "Widget")
      .step("v1alpha1", "v1beta1", to_beta, to_alpha)
      .step("v1beta1", "v1", to_v1, from_v1_unless_stuck)
      .quarantine();
}

/// Prepared with the definition.
inline KindConverters& prepare_quarantined_widgets(Converters& converters, std::string_view stored = "v1") {
  KindConverters& kind = add_quarantined_widgets(converters);
  if (auto ready = converters.prepare({quarantined_definition(stored)}); !ready)
    throw std::runtime_error(ready.error().message);
  return kind;
}

}  // namespace fairway::conversion::testing
