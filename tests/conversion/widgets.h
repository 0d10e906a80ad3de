// SPDX-License-Identifier: Apache-2.0

// A kind in three versions, the older ones holding less: what the tests convert.
//   v1alpha1  spec.size, spec.ports[].port
//   v1beta1   the same and spec.replicas
//   v1        spec.capacity.{size,replicas} in their place, spec.mode, spec.tls, spec.ports[].protocol
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "conversion/converters.h"
#include "k8s/object.h"
#include "support/cases.h"

namespace fairway::conversion::testing {

inline constexpr std::string_view group = "widgets.example.com";

inline Result<k8s::Dynamic> to_beta(k8s::Dynamic object) {
  return object;
}
inline Result<k8s::Dynamic> to_alpha(k8s::Dynamic object) {
  object.erase("spec.replicas");
  return object;
}

/// Moves a member, if it is there.
inline void move_member(k8s::Dynamic& object, std::string_view from, std::string_view to) {
  const json::Value* value = object.find(from);
  if (value == nullptr) return;
  json::Value moved = *value;
  object.erase(from);
  object.set(to, std::move(moved));
}

inline Result<k8s::Dynamic> to_v1(k8s::Dynamic object) {
  if (object.text("spec.size") == "huge") return invalid_field("spec.size", "'huge' is no size");
  move_member(object, "spec.size", "spec.capacity.size");
  move_member(object, "spec.replicas", "spec.capacity.replicas");
  return object;
}
inline Result<k8s::Dynamic> from_v1(k8s::Dynamic object) {
  // XL is beyond what the older version knows.
  if (object.text("spec.capacity.size") == "XL") object.set("spec.capacity.size", "L");
  move_member(object, "spec.capacity.size", "spec.size");
  move_member(object, "spec.capacity.replicas", "spec.replicas");
  for (const std::string_view gone : {"spec.capacity", "spec.mode", "spec.tls"}) object.erase(gone);
  for (k8s::Editor& port : object.edit_items("spec.ports")) port.erase("protocol");
  return object;
}

inline KindConverters& add_widgets(Converters& converters) {
  return converters.kind(group, "Widget")
      .storage("v1")
      .step("v1alpha1", "v1beta1", to_beta, to_alpha)
      .step("v1beta1", "v1", to_v1, from_v1);
}

inline k8s::Dynamic widget(std::string_view version, json::Value spec) {
  k8s::Dynamic object;
  object.set("apiVersion", std::string(group) + "/" + std::string(version));
  object.set("kind", "Widget");
  object.set("metadata.name", "one");
  object.set("metadata.namespace", "default");
  object.set("metadata.uid", "5e1f0c3a");
  object.set("spec", std::move(spec));
  return object;
}

inline json::Array read_cases(const std::string& name) {
  return fairway::testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) + "/tests/conversion/data/" + name);
}

using fairway::testing::field;
using fairway::testing::text;

}  // namespace fairway::conversion::testing
