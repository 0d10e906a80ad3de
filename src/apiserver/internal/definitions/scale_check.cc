// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/scale_check.h"

#include <cstdint>
#include <limits>
#include <string>

#include "k8s/view.h"

namespace fairway::apiserver::definitions {

namespace {

using schema::Violations;

/// Returns Go's name for the type of a value that it has read from JSON.
std::string type_name(const json::Value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  return value.is_int64() ? "int64" : "float64";
}

std::string other_type(const std::string& path, const json::Value& value, const std::string& wanted) {
  return path +
         " accessor error: " + (value.is_string() ? std::string(value.get_string()) : json::to_text(value)) +
         " is of the type " + type_name(value) + ", expected " + wanted;
}

void check_replicas(const json::Object& object, const std::string& name, Violations& problems) {
  const json::Value* value = k8s::View(object).find(name);
  if (value == nullptr) return;
  const std::string path = "." + name;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (!value->is_int64()) {
    problems.push_back(schema::invalid(path, std::int64_t{0}, other_type(path, *value, "int64")));
  } else if (value->get_int64() < 0) {
    problems.push_back(schema::invalid(path, *value, "should be a non-negative integer"));
  } else if (value->get_int64() > most) {
    problems.push_back(
        schema::invalid(path, *value, "should be less than or equal to " + std::to_string(most)));
  }
}

}  // namespace

Violations check_scale_spec(const json::Object& object, const resources::ScalePaths& paths) {
  Violations problems;
  check_replicas(object, paths.spec_replicas, problems);
  return problems;
}

Violations check_scale_status(const json::Object& object, const resources::ScalePaths& paths) {
  Violations problems;
  check_replicas(object, paths.status_replicas, problems);
  if (paths.selector.empty()) return problems;
  const std::string path = "." + paths.selector;
  const json::Value* selector = k8s::View(object).find(paths.selector);
  if (selector != nullptr && !selector->is_string())
    problems.push_back(schema::invalid(path, "", other_type(path, *selector, "string")));
  return problems;
}

}  // namespace fairway::apiserver::definitions
