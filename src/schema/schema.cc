// SPDX-License-Identifier: Apache-2.0

#include "schema/schema.h"

#include <algorithm>

#include "k8s/view.h"
#include "schema/internal/keywords.h"

namespace fairway::schema {

const json::Object* member_schema(const json::Object& schema, std::string_view name) {
  const json::Object* found = internal::property_of(schema, name);
  return found != nullptr ? found : internal::object_at(schema, "additionalProperties");
}

const json::Object* item_schema(const json::Object& schema) {
  return internal::object_at(schema, "items");
}

std::vector<std::string> list_keys(const json::Object& schema) {
  std::vector<std::string> keys;
  if (internal::text_at(schema, "x-kubernetes-list-type") != "map") return keys;
  for (const std::string_view key : k8s::View(schema).texts("x-kubernetes-list-map-keys")) {
    keys.emplace_back(key);
  }
  return keys;
}

bool is_required(const json::Object& schema, std::string_view member) {
  const auto names = k8s::View(schema).texts("required");
  return std::ranges::find(names, member) != names.end();
}

}  // namespace fairway::schema
