// SPDX-License-Identifier: Apache-2.0

#include "schema/unknown_formats.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "schema/internal/formats.h"

namespace fairway::schema {
namespace {

std::string_view text_of(const json::Object& schema, std::string_view keyword) {
  const json::Value* value = schema.if_contains(keyword);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

bool is_known(std::string_view format, std::string_view type) {
  if (type.empty() || type == "string") return internal::find_format(format) != nullptr;
  if (type == "integer") return format == "int32" || format == "int64";
  return type == "number" && (format == "float" || format == "double");
}

void collect(const json::Value& value, std::set<std::string>& found);

void collect_members(const json::Object& schemas, std::set<std::string>& found) {
  for (const auto& member : schemas) collect(member.value(), found);
}

/// `value` is a schema, or a list of them.
void collect(const json::Value& value, std::set<std::string>& found) {
  if (const json::Array* list = value.if_array()) {
    for (const json::Value& one : *list) collect(one, found);
  }
  const json::Object* schema = value.if_object();
  if (schema == nullptr) return;
  const std::string_view format = text_of(*schema, "format");
  if (!format.empty() && !is_known(format, text_of(*schema, "type"))) found.emplace(format);
  for (const char* keyword : {"items", "allOf", "anyOf", "oneOf", "not", "additionalProperties"}) {
    if (const json::Value* below = schema->if_contains(keyword)) collect(*below, found);
  }
  const json::Value* properties = schema->if_contains("properties");
  if (properties != nullptr && properties->is_object()) collect_members(properties->get_object(), found);
}

}  // namespace

std::vector<std::string> unknown_formats(const json::Object& schema) {
  std::set<std::string> found;
  collect(json::Value(schema), found);
  return {found.begin(), found.end()};
}

}  // namespace fairway::schema
