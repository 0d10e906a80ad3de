// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/apply/type_sources.h"

namespace fairway::apiserver::apply {

namespace {

const json::Object* object_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

std::string_view text_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

bool flag_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  const bool* flag = value != nullptr ? value->if_bool() : nullptr;
  return flag != nullptr && *flag;
}

class Builder {
 public:
  explicit Builder(Types& types) : types_(types) {}

  TypeRef build(const json::Object& schema, bool preserve, bool is_root) {
    if (flag_at(schema, "x-kubernetes-preserve-unknown-fields")) preserve = true;
    Type& type = types_.add();
    const std::string_view name = text_at(schema, "type");
    if (name == "object" || is_root) {
      type.map = build_map(schema, preserve, is_root);
    } else if (name == "array") {
      type.list = build_list(schema, preserve);
    } else if (name == "integer" || name == "number") {
      type.scalar = Scalar::numeric;
    } else if (name == "boolean") {
      type.scalar = Scalar::boolean;
    } else if (name == "string") {
      const std::string_view format = text_at(schema, "format");
      type.scalar = format.empty() || format == "byte" ? Scalar::string : Scalar::untyped;
    } else {
      // No type is any type: int-or-string, and what keeps unknown fields.
      type.scalar = Scalar::untyped;
      type.list = build_list(schema, preserve);
      type.map = build_map(schema, preserve, false);
    }
    return {&type, type.scalar == Scalar::untyped};
  }

 private:
  MapType build_map(const json::Object& schema, bool preserve, bool is_root) {
    MapType map;
    const json::Object* properties = object_at(schema, "properties");
    bool declared = false;
    if (properties != nullptr) {
      for (const auto& property : *properties) {
        const json::Object* below = property.value().if_object();
        if (below == nullptr) continue;
        const json::Value* fallback = below->if_contains("default");
        map.add({std::string(property.key()), build(*below, preserve, false),
                 fallback != nullptr ? *fallback : json::Value()});
        declared = true;
      }
    }
    if (is_root || flag_at(schema, "x-kubernetes-embedded-resource")) {
      map.add({"metadata", types_.object_meta(), {}});
      for (const char* name : {"apiVersion", "kind"}) map.add({name, types_.scalar(Scalar::string), {}});
      declared = true;
    }
    const json::Value* others = schema.if_contains("additionalProperties");
    if (others == nullptr || others->is_null()) {
      if (preserve || !declared) map.element = types_.deduced();
    } else if (const json::Object* below = others->if_object()) {
      map.element = build(*below, preserve, false);
    } else if (others->is_bool() && others->get_bool()) {
      map.element = types_.deduced();
    }
    if (text_at(schema, "x-kubernetes-map-type") == "atomic") map.relationship = Relationship::atomic;
    return map;
  }

  ListType build_list(const json::Object& schema, bool preserve) {
    ListType list;
    const json::Object* items = object_at(schema, "items");
    list.element = items != nullptr ? build(*items, preserve, false) : types_.untyped();
    const std::string_view kind = text_at(schema, "x-kubernetes-list-type");
    if (kind != "set" && kind != "map") return list;
    list.relationship = Relationship::associative;
    const json::Value* keys = schema.if_contains("x-kubernetes-list-map-keys");
    const json::Array* names = kind == "map" && keys != nullptr ? keys->if_array() : nullptr;
    for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
      if (const auto* name = (*names)[i].if_string()) list.keys.emplace_back(*name);
    }
    return list;
  }

  Types& types_;
};

}  // namespace

OwnedType type_of_schema(const json::Object* schema, bool preserve_unknown) {
  OwnedType out;
  if (schema != nullptr) {
    out.root = Builder(out.types).build(*schema, preserve_unknown, true);
    return out;
  }
  Type& type = out.types.add();
  type.map.emplace().element = out.types.deduced();
  out.root = {&type};
  return out;
}

}  // namespace fairway::apiserver::apply
