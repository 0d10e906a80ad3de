// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/keywords.h"

namespace fairway::schema::internal {

const json::Object* object_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

const json::Array* array_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

bool flag_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string_view text_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

const json::Object* property_of(const json::Object& schema, std::string_view name) {
  const json::Object* properties = object_at(schema, "properties");
  return properties != nullptr ? object_at(*properties, name) : nullptr;
}

const json::Value* default_of(const json::Object& schema) {
  const json::Value* preset = schema.if_contains("default");
  return preset != nullptr && !preset->is_null() ? preset : nullptr;
}

bool keeps_unknown(const json::Object& schema) {
  return flag_at(schema, "x-kubernetes-preserve-unknown-fields");
}

bool is_embedded(const json::Object& schema) {
  return flag_at(schema, "x-kubernetes-embedded-resource");
}

bool is_header(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

}  // namespace fairway::schema::internal
