// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/translation.h"

#include <string>
#include <utility>

#include "gateway/internal/model/expressions.h"

namespace fairway::gateway {

namespace {

/// Puts resources in place of the references to them by discovery, in a value and all of its parts.
void make_inline(json::Value& value, const Translation& translation) {
  if (value.is_array()) {
    for (json::Value& one : value.get_array()) make_inline(one, translation);
    return;
  }
  if (!value.is_object()) return;
  json::Object& object = value.get_object();
  if (const json::Value* rds = object.if_contains("rds")) {
    // A name may have a byte of zero.
    const std::string name(rds->get_object().at("route_config_name").get_string());
    json::Object routes = translation.routes.at(name).json();
    // A cluster that is never there is meant.
    routes["validate_clusters"] = false;
    object.erase("rds");
    object["route_config"] = std::move(routes);
  }
  // Of a secret the name is left: that of one that is in the bootstrap.
  object.erase("sds_config");
  for (auto&& member : object) make_inline(member.value(), translation);
}

json::Array all_of(const Translation::Of& resources) {
  json::Array list;
  for (const auto& [name, resource] : resources) list.push_back(resource);
  return list;
}

}  // namespace

json::Object envoy_runtime() {
  return {{"layers",
           json::Array{json::Object{
               {"name", "fairway"},
               {"static_layer", json::Object{{"re2.max_program_size.error_level", max_program_size}}}}}}};
}

json::Object static_bootstrap(const Translation& translation) {
  json::Value resources = json::Object{{"listeners", all_of(translation.listeners)},
                                       {"clusters", all_of(translation.clusters)},
                                       {"secrets", all_of(translation.secrets)}};
  make_inline(resources, translation);
  return {{"layered_runtime", envoy_runtime()}, {"static_resources", std::move(resources)}};
}

}  // namespace fairway::gateway
