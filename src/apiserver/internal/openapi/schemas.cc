// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/schemas.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/internal/kinds/kinds.h"
#include "base/text.h"

namespace fairway::apiserver::openapi {
namespace {

constexpr std::string_view meta_package = "io.k8s.apimachinery.pkg.apis.meta.";
constexpr std::string_view extensions_package = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.";

/// Returns the name of a built-in type: "io.k8s.api.apps.v1.DeploymentSpec".
std::string name_of(const kinds::MessageType& type) {
  const std::string_view group = type.group();
  std::string package = "io.k8s.api.";
  if (group == "meta.k8s.io") {
    package = meta_package;
  } else if (group == "apiextensions.k8s.io") {
    package = extensions_package;
  } else if (group == "apiregistration.k8s.io") {
    package = "io.k8s.kube-aggregator.pkg.apis.apiregistration.";
  } else {
    package += (group.empty() ? "core" : std::string(group.substr(0, group.find('.')))) + ".";
  }
  return package + type.go_name();
}

/// Returns the name of a custom kind: "com.example.v1.Widget".
std::string name_of(const k8s::GroupVersionKind& kind) {
  auto parts = split(kind.group, '.');
  std::ranges::reverse(parts);
  std::string name;
  for (const std::string_view part : parts) name.append(part).append(".");
  return name + kind.version + "." + kind.kind;
}

json::Object described(const k8s::GroupVersionKind& kind) {
  return {{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}};
}

json::Object text_type() {
  return {{"type", "string"}};
}

/// Returns the value that a field has in documents even if none was given.
json::Value zero_of(kinds::FieldType type) {
  switch (type) {
    case kinds::FieldType::string:
      return "";
    case kinds::FieldType::boolean:
      return false;
    case kinds::FieldType::int32:
    case kinds::FieldType::int64:
    case kinds::FieldType::float64:
      return 0;
    default:
      return nullptr;
  }
}

void add_merge_rules(const kinds::Field& field, json::Object& schema) {
  if (field.list_type != kinds::ListType::undeclared && field.shape == kinds::FieldShape::list) {
    schema["x-kubernetes-list-type"] = field.list_type == kinds::ListType::atomic ? "atomic"
                                       : field.list_type == kinds::ListType::set  ? "set"
                                                                                  : "map";
  }
  if (!field.list_keys.empty()) {
    json::Array keys;
    for (const std::string_view key : field.list_keys) keys.emplace_back(key);
    schema["x-kubernetes-list-map-keys"] = std::move(keys);
  }
  if (field.atomic) schema["x-kubernetes-map-type"] = "atomic";
  std::vector<std::string> strategies;
  if (field.patch_merge) strategies.emplace_back("merge");
  if (field.patch_replace) strategies.emplace_back("replace");
  if (field.patch_retain_keys) strategies.emplace_back("retainKeys");
  if (!strategies.empty()) schema["x-kubernetes-patch-strategy"] = join(strategies, ",");
  if (!field.merge_key.empty()) schema["x-kubernetes-patch-merge-key"] = field.merge_key;
}

void add_selectable_fields(const resources::ServedResource& resource, json::Object& schema) {
  if (resource.selectable_fields.empty()) return;
  json::Array fields;
  for (const std::string& path : resource.selectable_fields)
    fields.push_back(json::Object{{"fieldPath", path}});
  schema["x-kubernetes-selectable-fields"] = std::move(fields);
}

/// Removes members that version 2 does not know.
void reduce(json::Object& schema) {
  for (const char* name :
       {"oneOf", "anyOf", "allOf", "not", "nullable", "default", "x-kubernetes-validations"}) {
    schema.erase(name);
  }
  for (auto& member : schema) {
    json::Object* below = member.value().if_object();
    if (below == nullptr) continue;
    if (member.key() == "properties") {
      for (auto& property : *below) {
        if (json::Object* object = property.value().if_object()) reduce(*object);
      }
    } else if (member.key() == "items" || member.key() == "additionalProperties") {
      reduce(*below);
    }
  }
}

}  // namespace

json::Object Schemas::reference(std::string_view name) const {
  return {{"$ref", reference_to(dialect_, name)}};
}

json::Object Schemas::with_default(json::Object reference) const {
  // In version 2 nothing may stand beside a reference.
  if (dialect_ == Dialect::v2) return reference;
  return {{"allOf", json::Array{json::Value(std::move(reference))}}, {"default", json::Object{}}};
}

json::Object Schemas::shared(std::string_view name, const json::Object& schema) {
  schemas_.try_emplace(std::string(name), schema);
  return reference(name);
}

json::Object Schemas::add(const kinds::MessageType& type) {
  std::string name = name_of(type);
  // A type may hold itself: it is there before its fields are.
  const auto [at, is_new] = schemas_.try_emplace(name);
  if (is_new) schemas_[name] = message_schema(type);
  return reference(name);
}

json::Object Schemas::meta(std::string_view message) {
  return add(*kinds::Kinds::message("meta/v1", message));
}

json::Object Schemas::message_schema(const kinds::MessageType& type) {
  std::map<std::string_view, json::Object> properties;
  if (type.has_type_meta()) {
    properties["apiVersion"] = text_type();
    properties["kind"] = text_type();
  }
  std::set<std::string_view> required;
  for (const kinds::Field* field : type.json_fields()) {
    properties[field->name] = field_schema(*field);
    if (field->required) required.insert(field->name);
  }
  json::Object schema{{"type", "object"}};
  json::Object& members = schema["properties"].emplace_object();
  for (auto& [name, property] : properties) members[name] = std::move(property);
  if (properties.empty()) schema.erase("properties");
  if (!required.empty()) {
    json::Array& names = schema["required"].emplace_array();
    for (const std::string_view name : required) names.emplace_back(name);
  }
  if (type.atomic()) schema["x-kubernetes-map-type"] = "atomic";
  return schema;
}

json::Object Schemas::field_schema(const kinds::Field& field) {
  json::Object schema;
  if (field.shape == kinds::FieldShape::list) {
    schema = {{"type", "array"}, {"items", element_schema(field)}};
  } else if (field.shape == kinds::FieldShape::map) {
    schema = {{"type", "object"}, {"additionalProperties", element_schema(field)}};
  } else {
    schema = value_schema(field);
    if (field.type == kinds::FieldType::message) {
      if (!field.pointer) schema = with_default(std::move(schema));
    } else if (!field.default_json.empty()) {
      schema["default"] = json::parse(field.default_json).value_or(json::Value());
    } else if (!field.pointer && !field.omit_empty) {
      if (json::Value zero = zero_of(field.type); !zero.is_null()) schema["default"] = std::move(zero);
    }
  }
  json::Object rules;
  add_merge_rules(field, rules);
  if (rules.empty() || (dialect_ == Dialect::v2 && schema.contains("$ref"))) return schema;
  if (schema.contains("$ref")) schema = {{"allOf", json::Array{json::Value(std::move(schema))}}};
  for (auto& rule : rules) schema[rule.key()] = std::move(rule.value());
  return schema;
}

json::Object Schemas::element_schema(const kinds::Field& field) {
  json::Object schema = value_schema(field);
  if (field.type == kinds::FieldType::message) return with_default(std::move(schema));
  if (json::Value zero = zero_of(field.type); !zero.is_null()) schema["default"] = std::move(zero);
  return schema;
}

/// Returns the schema of one value, without a default.
json::Object Schemas::value_schema(const kinds::Field& field) {
  const std::string meta_v1 = std::string(meta_package) + "v1.";
  const std::string extensions = std::string(extensions_package) + "v1.";
  const bool v3 = dialect_ == Dialect::v3;
  switch (field.type) {
    case kinds::FieldType::boolean:
      return {{"type", "boolean"}};
    case kinds::FieldType::int32:
      return {{"type", "integer"}, {"format", "int32"}};
    case kinds::FieldType::int64:
      return {{"type", "integer"}, {"format", "int64"}};
    case kinds::FieldType::float64:
      return {{"type", "number"}, {"format", "double"}};
    case kinds::FieldType::string:
      return text_type();
    case kinds::FieldType::bytes:
      return {{"type", "string"}, {"format", "byte"}};
    case kinds::FieldType::strings:
      return {{"type", "array"}, {"items", json::Object{{"default", ""}, {"type", "string"}}}};
    case kinds::FieldType::quantity:
      return shared("io.k8s.apimachinery.pkg.api.resource.Quantity",
                    v3 ? json::Object{{"oneOf", json::Array{text_type(), json::Object{{"type", "number"}}}}}
                       : text_type());
    case kinds::FieldType::int_or_string: {
      json::Object schema{{"format", "int-or-string"}};
      if (v3) {
        schema["oneOf"] = json::Array{json::Object{{"type", "integer"}}, text_type()};
      } else {
        schema["type"] = "string";
      }
      return shared("io.k8s.apimachinery.pkg.util.intstr.IntOrString", schema);
    }
    case kinds::FieldType::time:
      return shared(meta_v1 + "Time", {{"type", "string"}, {"format", "date-time"}});
    case kinds::FieldType::micro_time:
      return shared(meta_v1 + "MicroTime", {{"type", "string"}, {"format", "date-time"}});
    case kinds::FieldType::duration:
      return shared(meta_v1 + "Duration", text_type());
    case kinds::FieldType::raw_extension:
      return shared("io.k8s.apimachinery.pkg.runtime.RawExtension", {{"type", "object"}});
    case kinds::FieldType::fields:
      return shared(meta_v1 + "FieldsV1", {{"type", "object"}});
    case kinds::FieldType::json:
      return shared(extensions + "JSON", {});
    case kinds::FieldType::schema_or_array:
      return shared(extensions + "JSONSchemaPropsOrArray", {});
    case kinds::FieldType::schema_or_bool:
      return shared(extensions + "JSONSchemaPropsOrBool", {});
    case kinds::FieldType::schema_or_strings:
      return shared(extensions + "JSONSchemaPropsOrStringArray", {});
    case kinds::FieldType::message:
      return add(*field.message);
  }
  return {};
}

json::Object Schemas::built_in(const k8s::GroupVersionKind& kind) {
  const kinds::MessageType* type = kinds::Kinds::find(kind);
  if (type == nullptr) return {{"type", "object"}};
  json::Object made = add(*type);
  kinds_[name_of(*type)].insert(kind);
  return made;
}

json::Object Schemas::custom(const resources::ServedResource& resource) {
  const std::string name = name_of(resource.kind);
  if (schemas_.contains(name)) return reference(name);
  json::Object made;
  if (resource.open_api_schema != nullptr) made = *resource.open_api_schema;
  const json::Value* keeps_unknown = made.if_contains("x-kubernetes-preserve-unknown-fields");
  if (dialect_ == Dialect::v2 && keeps_unknown != nullptr && *keeps_unknown == true) {
    // In version 2 a schema with properties forbids others to clients that validate by it.
    made = {{"type", "object"}};
    add_selectable_fields(resource, made);
    schemas_.emplace(name, std::move(made));
    kinds_[name].insert(resource.kind);
    return reference(name);
  }
  if (dialect_ == Dialect::v2) reduce(made);
  made["type"] = "object";
  json::Object members{{"apiVersion", text_type()}, {"kind", text_type()}};
  members["metadata"] = meta("ObjectMeta");
  if (const json::Value* given = made.if_contains("properties"); given != nullptr && given->is_object()) {
    for (const auto& member : given->get_object()) members.emplace(member.key(), member.value());
  }
  made["properties"] = std::move(members);
  add_selectable_fields(resource, made);
  schemas_.emplace(name, std::move(made));
  kinds_[name].insert(resource.kind);
  return reference(name);
}

json::Object Schemas::custom_list(const resources::ServedResource& resource) {
  json::Object item = custom(resource);
  const k8s::GroupVersionKind list = resource.list_kind();
  const std::string name = name_of(list);
  if (!schemas_.contains(name)) {
    json::Object properties{{"apiVersion", text_type()}, {"kind", text_type()}};
    properties["items"] = json::Object{{"type", "array"}, {"items", std::move(item)}};
    properties["metadata"] = meta("ListMeta");
    json::Object made{
        {"type", "object"}, {"required", json::Array{"items"}}, {"properties", std::move(properties)}};
    add_selectable_fields(resource, made);
    schemas_.emplace(name, std::move(made));
    kinds_[name].insert(list);
  }
  return reference(name);
}

json::Object Schemas::patch() {
  return shared(std::string(meta_package) + "v1.Patch", {{"type", "object"}});
}

json::Object Schemas::release() {
  json::Object all;
  for (auto& [name, schema] : schemas_) {
    if (const auto kinds = kinds_.find(name); kinds != kinds_.end()) {
      json::Array list;
      for (const k8s::GroupVersionKind& kind : kinds->second) list.push_back(described(kind));
      schema["x-kubernetes-group-version-kind"] = std::move(list);
    }
    all[name] = std::move(schema);
  }
  schemas_.clear();
  kinds_.clear();
  return all;
}

}  // namespace fairway::apiserver::openapi
