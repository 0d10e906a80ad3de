// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <unordered_map>
#include <utility>

#include "apiserver/internal/apply/type_sources.h"

namespace fairway::apiserver::apply {

namespace {

/// Returns the value that stands for a field that is not set: the declared default, or Go's zero value; null:
/// none.
json::Value fallback_of(const kinds::Field& field) {
  if (!field.default_json.empty()) return json::parse(field.default_json).value_or(json::Value());
  if (field.pointer || field.omit_empty || field.shape != kinds::FieldShape::one) return nullptr;
  switch (field.type) {
    case kinds::FieldType::string:
      return "";
    case kinds::FieldType::boolean:
      return false;
    case kinds::FieldType::int32:
    case kinds::FieldType::int64:
      return 0;
    default:
      return nullptr;
  }
}

class Builder {
 public:
  explicit Builder(Types& types) : types_(types) {}

  TypeRef build(const kinds::MessageType& message) {
    const auto known = cache_.find(&message);
    if (known != cache_.end()) return {known->second};
    Type& type = types_.add();
    cache_[&message] = &type;
    MapType map;
    if (message.has_type_meta()) {
      for (const char* name : {"apiVersion", "kind"}) map.add({name, types_.scalar(Scalar::string), {}});
    }
    for (const kinds::Field* field : message.json_fields()) {
      map.add({std::string(field->name), build_field(*field), fallback_of(*field)});
    }
    // An object of which nothing is declared may have anything.
    if (!map.has_fields()) map.element = types_.deduced();
    if (message.atomic()) map.relationship = Relationship::atomic;
    type.map = std::move(map);
    return {&type};
  }

 private:
  TypeRef build_field(const kinds::Field& field) {
    if (field.shape == kinds::FieldShape::list) {
      Type& list = types_.add();
      list.list = build_list(field);
      return {&list};
    }
    if (field.shape == kinds::FieldShape::map) {
      Type& map = types_.add();
      const TypeRef element = build_value(field);
      map.map.emplace().element = element;
      if (field.atomic) map.map->relationship = Relationship::atomic;
      return {&map};
    }
    const TypeRef value = build_value(field);
    const bool has_members = field.type == kinds::FieldType::message && field.message != nullptr;
    if (!field.atomic || !has_members || field.message->atomic()) return value;
    // A type of its own: elsewhere the members have owners of their own.
    Type& atomic = types_.add();
    atomic.map.emplace().element = types_.untyped();
    atomic.map->relationship = Relationship::atomic;
    for (const kinds::Field* below : field.message->json_fields()) {
      atomic.map->add({std::string(below->name), build_field(*below), {}});
    }
    atomic.map->element = {};
    return {&atomic};
  }

  apply::ListType build_list(const kinds::Field& field) {
    apply::ListType list;
    list.element = build_value(field);
    using Declared = apiserver::kinds::ListType;
    const bool is_merged = field.list_type == Declared::undeclared && field.patch_merge;
    if (field.list_type == Declared::set || field.list_type == Declared::map || is_merged) {
      list.relationship = Relationship::associative;
    }
    if (field.list_type == Declared::map) list.keys.assign(field.list_keys.begin(), field.list_keys.end());
    if (is_merged && !field.merge_key.empty()) list.keys.emplace_back(field.merge_key);
    return list;
  }

  TypeRef build_value(const kinds::Field& field) {
    switch (field.type) {
      case kinds::FieldType::boolean:
        return types_.scalar(Scalar::boolean);
      case kinds::FieldType::int32:
      case kinds::FieldType::int64:
      case kinds::FieldType::float64:
        return types_.scalar(Scalar::numeric);
      case kinds::FieldType::string:
      case kinds::FieldType::bytes:
      case kinds::FieldType::duration:
        return types_.scalar(Scalar::string);
      case kinds::FieldType::quantity:
      case kinds::FieldType::time:
      case kinds::FieldType::micro_time:
      case kinds::FieldType::int_or_string:
        return {types_.scalar(Scalar::untyped).type};
      case kinds::FieldType::strings: {
        Type& list = types_.add();
        list.list = apply::ListType{types_.scalar(Scalar::string), Relationship::atomic, {}};
        return {&list};
      }
      case kinds::FieldType::raw_extension:
        return types_.untyped();
      case kinds::FieldType::fields: {
        Type& map = types_.add();
        map.map.emplace().element = types_.deduced();
        return {&map};
      }
      case kinds::FieldType::json:
      case kinds::FieldType::schema_or_array:
      case kinds::FieldType::schema_or_bool:
      case kinds::FieldType::schema_or_strings:
        return {types_.deduced().type};
      case kinds::FieldType::message:
        return field.message != nullptr ? build(*field.message) : types_.untyped();
    }
    return types_.untyped();
  }

  Types& types_;
  std::unordered_map<const kinds::MessageType*, const Type*> cache_;
};

}  // namespace

OwnedType type_of_kind(const kinds::MessageType& kind) {
  OwnedType out;
  out.root = Builder(out.types).build(kind);
  return out;
}

json::Object zero_object(const kinds::MessageType& kind) {
  json::Object out;
  for (const kinds::Field* field : kind.json_fields()) {
    if (field->pointer ? field->omit_empty : field->omit_zero) continue;
    if (field->pointer || field->shape != kinds::FieldShape::one) {
      if (!field->omit_empty) out[field->name] = nullptr;
      continue;
    }
    if (field->type == kinds::FieldType::message && field->message != nullptr) {
      // omitempty says nothing of a struct.
      out[field->name] = zero_object(*field->message);
    } else if (!field->omit_empty) {
      out[field->name] = fallback_of(*field);
    }
  }
  return out;
}

}  // namespace fairway::apiserver::apply
