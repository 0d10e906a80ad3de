// SPDX-License-Identifier: Apache-2.0

// Types as structured-merge-diff's schemas describe them, which its tests and ours have as JSON or YAML.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/apply/type.h"
#include "base/json.h"

namespace fairway::testing {

/// A schema: `{"types": [{"name": "...", "map": {...}}]}`. A reference that cannot be resolved is a type with
/// a problem, as in structured-merge-diff.
class SmdSchema {
 public:
  explicit SmdSchema(const json::Value& schema) {
    for (const json::Value& type : list(schema, "types")) {
      by_name_[text(type, "name")] = {&types_.add(), type, false};
    }
    for (auto& [name, definition] : by_name_) fill_once(definition);
  }
  SmdSchema(const SmdSchema&) = delete;
  SmdSchema& operator=(const SmdSchema&) = delete;

  apiserver::apply::TypeRef named(const std::string& name) {
    return resolve(json::Object{{"namedType", name}});
  }

  /// A reference: `{"namedType": "..."}`, `{"scalar": "string"}`. One reference is one type.
  apiserver::apply::TypeRef resolve(const json::Value& reference) {
    if (!reference.is_object() || reference.get_object().empty()) return {};
    const std::string key = json::to_text(reference);
    const auto known = references_.find(key);
    if (known != references_.end()) return known->second;
    return references_[key] = make(reference);
  }

 private:
  using Type = apiserver::apply::Type;
  using TypeRef = apiserver::apply::TypeRef;
  using Relationship = apiserver::apply::Relationship;

  struct Definition {
    Type* type = nullptr;
    json::Value atom;
    bool filled = false;
  };

  void fill_once(Definition& definition) {
    if (std::exchange(definition.filled, true)) return;
    fill(*definition.type, definition.atom);
  }

  static std::string text(const json::Value& value, std::string_view key) {
    return std::string(json::find_string(value, key).value_or(""));
  }
  static json::Array list(const json::Value& value, std::string_view key) {
    const json::Value* found = json::find(value, key);
    return found != nullptr && found->is_array() ? found->get_array() : json::Array{};
  }
  static Relationship relationship(const std::string& name) {
    if (name == "atomic") return Relationship::atomic;
    return name == "associative" ? Relationship::associative : Relationship::separable;
  }

  TypeRef make(const json::Value& reference) {
    const std::string name = text(reference, "namedType"), override = text(reference, "elementRelationship");
    const bool is_named = reference.get_object().contains("namedType");
    const Type* type = nullptr;
    if (is_named) {
      const auto found = by_name_.find(name);
      if (found == by_name_.end()) return {&problem("no type found matching: " + name)};
      // Its form counts here, not only where it is.
      if (!override.empty()) fill_once(found->second);
      type = found->second.type;
    } else {
      Type& inlined = types_.add();
      fill(inlined, reference);
      type = &inlined;
    }
    if (!override.empty()) {
      if (!type->map && !type->list) {
        return {&problem("no type found matching: " + (is_named ? name : std::string("inlined type")))};
      }
      Type& changed = types_.add();
      changed = *type;
      (changed.map ? changed.map->relationship : changed.list->relationship) = relationship(override);
      type = &changed;
    }
    const bool deduced =
        is_named ? name == "__untyped_deduced_" : type->scalar == apiserver::apply::Scalar::untyped;
    return {type, deduced};
  }

  Type& problem(const std::string& text) {
    Type& type = types_.add();
    type.problem = text;
    return type;
  }

  void fill(Type& type, const json::Value& atom) {
    using apiserver::apply::Scalar;
    if (const std::string scalar = text(atom, "scalar"); !scalar.empty()) {
      type.scalar = scalar == "numeric"   ? Scalar::numeric
                    : scalar == "string"  ? Scalar::string
                    : scalar == "boolean" ? Scalar::boolean
                                          : Scalar::untyped;
    }
    if (const json::Value* items = json::find(atom, "list"); items != nullptr && items->is_object()) {
      type.list.emplace();
      type.list->relationship = relationship(text(*items, "elementRelationship"));
      for (const json::Value& key : list(*items, "keys")) type.list->keys.emplace_back(key.as_string());
      if (const json::Value* element = json::find(*items, "elementType"))
        type.list->element = resolve(*element);
    }
    const json::Value* map = json::find(atom, "map");
    if (map == nullptr || !map->is_object()) return;
    type.map.emplace();
    type.map->relationship = relationship(text(*map, "elementRelationship"));
    if (const json::Value* element = json::find(*map, "elementType")) type.map->element = resolve(*element);
    for (const json::Value& field : list(*map, "fields")) {
      const json::Value* reference = json::find(field, "type");
      const json::Value* fallback = json::find(field, "default");
      type.map->add({text(field, "name"), reference != nullptr ? resolve(*reference) : TypeRef{},
                     fallback != nullptr ? *fallback : json::Value()});
    }
  }

  apiserver::apply::Types types_;
  std::map<std::string, Definition> by_name_;
  std::map<std::string, TypeRef> references_;
};

}  // namespace fairway::testing
