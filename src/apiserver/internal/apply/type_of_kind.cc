#include <string>
#include <unordered_map>
#include <utility>

#include "apiserver/internal/apply/type_sources.h"

namespace fairway::apiserver::apply {

namespace {

/// Returns the value that stands for a field that is not set: the declared default, or Go's zero value; null:
/// none.
json::Value fallback_of(const Field& field) {
  if (!field.default_json.empty()) return json::parse(field.default_json).value_or(json::Value());
  if (field.pointer || field.omit_empty || field.shape != FieldShape::one) return nullptr;
  switch (field.type) {
    case FieldType::string:
      return "";
    case FieldType::boolean:
      return false;
    case FieldType::int32:
    case FieldType::int64:
      return 0;
    default:
      return nullptr;
  }
}

class Builder {
 public:
  explicit Builder(Types& types) : types_(types) {}

  TypeRef build(const MessageType& message) {
    const auto known = known_.find(&message);
    if (known != known_.end()) return {known->second};
    Type& type = types_.add();
    known_[&message] = &type;
    MapType map;
    if (message.has_type_meta()) {
      for (const char* name : {"apiVersion", "kind"}) map.add({name, types_.scalar(Scalar::string), {}});
    }
    for (const Field* field : message.json_fields()) {
      map.add({std::string(field->name), build_field(*field), fallback_of(*field)});
    }
    // An object of which nothing is declared may have anything.
    if (!map.has_fields()) map.element = types_.deduced();
    if (message.atomic()) map.relationship = Relationship::atomic;
    type.map = std::move(map);
    return {&type};
  }

 private:
  TypeRef build_field(const Field& field) {
    if (field.shape == FieldShape::list) {
      Type& list = types_.add();
      list.list = build_list(field);
      return {&list};
    }
    if (field.shape == FieldShape::map) {
      Type& map = types_.add();
      const TypeRef element = build_value(field);
      map.map.emplace().element = element;
      if (field.atomic) map.map->relationship = Relationship::atomic;
      return {&map};
    }
    const TypeRef value = build_value(field);
    const bool is_atomic_already = field.message != nullptr && field.message->atomic();
    if (!field.atomic || is_atomic_already || field.type != FieldType::message) return value;
    // A type of its own: elsewhere the members have owners of their own.
    Type& atomic = types_.add();
    atomic.map.emplace().element = types_.untyped();
    atomic.map->relationship = Relationship::atomic;
    for (const Field* below : field.message->json_fields()) {
      atomic.map->add({std::string(below->name), build_field(*below), {}});
    }
    atomic.map->element = {};
    return {&atomic};
  }

  apply::ListType build_list(const Field& field) {
    apply::ListType list;
    list.element = build_value(field);
    using Declared = apiserver::ListType;
    const bool is_merged = field.list_type == Declared::undeclared && field.patch_merge;
    if (field.list_type == Declared::set || field.list_type == Declared::map || is_merged) {
      list.relationship = Relationship::associative;
    }
    if (field.list_type == Declared::map) list.keys.assign(field.list_keys.begin(), field.list_keys.end());
    if (is_merged && !field.merge_key.empty()) list.keys.emplace_back(field.merge_key);
    return list;
  }

  TypeRef build_value(const Field& field) {
    switch (field.type) {
      case FieldType::boolean:
        return types_.scalar(Scalar::boolean);
      case FieldType::int32:
      case FieldType::int64:
      case FieldType::float64:
        return types_.scalar(Scalar::numeric);
      case FieldType::string:
      case FieldType::bytes:
      case FieldType::duration:
        return types_.scalar(Scalar::string);
      case FieldType::quantity:
      case FieldType::time:
      case FieldType::micro_time:
      case FieldType::int_or_string:
        return {types_.scalar(Scalar::untyped).type};
      case FieldType::strings: {
        Type& list = types_.add();
        list.list = apply::ListType{types_.scalar(Scalar::string), Relationship::atomic, {}};
        return {&list};
      }
      case FieldType::raw_extension:
        return types_.untyped();
      case FieldType::fields: {
        Type& map = types_.add();
        map.map.emplace().element = types_.deduced();
        return {&map};
      }
      case FieldType::json:
      case FieldType::schema_or_array:
      case FieldType::schema_or_bool:
      case FieldType::schema_or_strings:
        return {types_.deduced().type};
      case FieldType::message:
        return field.message != nullptr ? build(*field.message) : types_.untyped();
    }
    return types_.untyped();
  }

  Types& types_;
  std::unordered_map<const MessageType*, const Type*> known_;
};

}  // namespace

OwnedType type_of_kind(const MessageType& kind) {
  OwnedType out;
  out.root = Builder(out.types).build(kind);
  return out;
}

json::Object zero_object(const MessageType& kind) {
  json::Object out;
  for (const Field* field : kind.json_fields()) {
    if (field->pointer ? field->omit_empty : field->omit_zero) continue;
    if (field->pointer || field->shape != FieldShape::one) {
      if (!field->omit_empty) out[field->name] = nullptr;
      continue;
    }
    if (field->type == FieldType::message && field->message != nullptr) {
      // omitempty says nothing of a struct.
      out[field->name] = zero_object(*field->message);
    } else if (!field->omit_empty) {
      out[field->name] = fallback_of(*field);
    }
  }
  return out;
}

}  // namespace fairway::apiserver::apply
