// SPDX-License-Identifier: Apache-2.0

// Definitions of ClusterVersion as clusters of other releases serve them.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "base/text.h"
#include "k8s/documents.h"
#include "operators/definitions.h"
#include "operators/internal/served_definition.h"

namespace fairway::operators::testing {

/// Returns a part of a schema: members of objects, but for "items" and "properties" below a member of the
/// status. It is made where it is absent.
inline json::Object& member_of(json::Object& status, std::string_view path) {
  json::Object* at = &status["properties"].as_object();
  for (const std::string_view step : split(path, '.')) {
    json::Value& next = (*at)[step];
    if (!next.is_object()) next.emplace_object();
    at = &next.as_object();
  }
  return *at;
}

/// Returns the CustomResourceDefinition of this program with another schema of the status.
inline json::Object edited_crd(const std::function<void(json::Object& status)>& edit) {
  const auto documents = k8s::read_documents(definitions()).value();
  for (const k8s::Document& document : documents) {
    json::Object crd = document.value.as_object();
    if (json::find_string(crd.at("metadata"), "name") != "clusterversions.config.openshift.io") continue;
    json::Object& version = crd["spec"].as_object()["versions"].as_array().at(0).as_object();
    json::Object& schema = version["schema"].as_object()["openAPIV3Schema"].as_object();
    edit(schema["properties"].as_object()["status"].as_object());
    return crd;
  }
  throw std::runtime_error("there is no definition of ClusterVersion");
}

inline std::shared_ptr<const ServedDefinition> edited_definition(
    const std::function<void(json::Object& status)>& edit) {
  return ServedDefinition::read(edited_crd(edit));
}

}  // namespace fairway::operators::testing
