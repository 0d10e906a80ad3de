#include "schema/schema.h"

#include "k8s/members.h"
#include "k8s/view.h"

namespace fairway::schema {

namespace {

const json::Object* object_at(const json::Object& object, std::string_view name) {
  const json::Value* value = object.if_contains(name);
  return value != nullptr ? value->if_object() : nullptr;
}

bool keeps_unknown(const json::Object& schema) {
  return k8s::View(schema).flag("x-kubernetes-preserve-unknown-fields");
}

/// Any member may be there, and nothing is said of what is in it.
bool takes_any(const json::Object& schema) {
  const json::Value* additional = schema.if_contains("additionalProperties");
  return additional != nullptr && additional->is_bool() && additional->get_bool();
}

void prune_value(json::Value& value, const json::Object& schema);

void prune_members(json::Object& object, const json::Object& schema, bool is_resource) {
  const auto is_ours = [&](std::string_view name) {
    return is_resource && (name == "apiVersion" || name == "kind" || name == "metadata");
  };
  if (!keeps_unknown(schema) && !takes_any(schema)) {
    k8s::erase_members(object, [&](std::string_view name) {
      return !is_ours(name) && member_schema(schema, name) == nullptr;
    });
  }
  for (auto& member : object) {
    if (is_ours(member.key())) continue;
    if (const json::Object* inner = member_schema(schema, member.key())) prune_value(member.value(), *inner);
  }
}

void prune_value(json::Value& value, const json::Object& schema) {
  if (json::Object* object = value.if_object()) {
    prune_members(*object, schema, k8s::View(schema).flag("x-kubernetes-embedded-resource"));
  } else if (json::Array* array = value.if_array()) {
    const json::Object* items = item_schema(schema);
    if (items == nullptr) return;
    for (json::Value& item : *array) prune_value(item, *items);
  }
}

bool is_header(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

bool fill_in_members(json::Object& object, const json::Object& schema, bool is_resource);

bool fill_in_value(json::Value& value, const json::Object& schema) {
  if (json::Object* object = value.if_object()) {
    return fill_in_members(*object, schema, k8s::View(schema).flag("x-kubernetes-embedded-resource"));
  }
  bool filled = false;
  const json::Object* items = item_schema(schema);
  if (json::Array* array = value.if_array(); array != nullptr && items != nullptr) {
    for (json::Value& item : *array) filled = fill_in_value(item, *items) || filled;
  }
  return filled;
}

bool fill_in_members(json::Object& object, const json::Object& schema, bool is_resource) {
  bool filled = false;
  if (const json::Object* properties = object_at(schema, "properties")) {
    for (const auto& property : *properties) {
      const json::Object* inner = property.value().if_object();
      if (inner == nullptr || (is_resource && is_header(property.key()))) continue;
      const json::Value* preset = inner->if_contains("default");
      const json::Value* there = object.if_contains(property.key());
      if (preset == nullptr || (there != nullptr && !there->is_null())) continue;
      if (there != nullptr && k8s::View(*inner).flag("nullable")) continue;
      object[property.key()] = *preset;
      filled = true;
    }
  }
  for (auto& member : object) {
    if (is_resource && is_header(member.key())) continue;
    const json::Object* inner = member_schema(schema, member.key());
    if (inner != nullptr) filled = fill_in_value(member.value(), *inner) || filled;
  }
  return filled;
}

}  // namespace

const json::Object* member_schema(const json::Object& schema, std::string_view name) {
  if (const json::Object* properties = object_at(schema, "properties")) {
    if (const json::Object* found = object_at(*properties, name)) return found;
  }
  return object_at(schema, "additionalProperties");
}

const json::Object* item_schema(const json::Object& schema) {
  return object_at(schema, "items");
}

std::vector<std::string> list_keys(const json::Object& schema) {
  std::vector<std::string> keys;
  if (k8s::View(schema).text("x-kubernetes-list-type") != "map") return keys;
  for (const std::string_view key : k8s::View(schema).texts("x-kubernetes-list-map-keys")) {
    keys.emplace_back(key);
  }
  return keys;
}

void prune(json::Object& object, const json::Object& schema) {
  prune_members(object, schema, true);
}

bool fill_in_defaults(json::Object& object, const json::Object& schema) {
  return fill_in_members(object, schema, true);
}

}  // namespace fairway::schema
