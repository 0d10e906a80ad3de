// SPDX-License-Identifier: Apache-2.0

#include "schema/defaults.h"

#include <string>

#include "k8s/members.h"
#include "schema/internal/keywords.h"
#include "schema/schema.h"

namespace fairway::schema {

namespace {

/// Returns whether a value is a null that counts as absent.
bool is_absent(const json::Value& value, const json::Object* schema) {
  return value.is_null() && schema != nullptr && !internal::flag_at(*schema, "nullable");
}

std::size_t count_values(const json::Value& value) {
  std::size_t count = 1;
  if (const json::Object* object = value.if_object()) {
    for (const auto& member : *object) count += count_values(member.value());
  } else if (const json::Array* array = value.if_array()) {
    for (const json::Value& item : *array) count += count_values(item);
  }
  return count;
}

class Defaults {
 public:
  /// If `adds` is false, only nulls are looked for.
  Defaults(std::size_t max_values, Nulls nulls, bool adds)
      : left_(max_values), removes_nulls_(nulls == Nulls::removed), adds_(adds) {}
  bool changed() const { return changed_; }
  bool is_exhausted() const { return is_exhausted_; }

  void fill_in_members(json::Object& object, const json::Object& schema, bool is_object) {
    if (removes_nulls_) remove_nulls(object, schema);
    const json::Object* properties = adds_ ? internal::object_at(schema, "properties") : nullptr;
    if (properties != nullptr) {
      for (const auto& property : *properties) {
        const json::Object* inner = property.value().if_object();
        // The headers of an object have no defaults: the API server refuses such a definition.
        if (inner == nullptr || (is_object && internal::is_header(property.key()))) continue;
        const json::Value* preset = internal::default_of(*inner);
        if (preset != nullptr && !object.contains(property.key()) && may_add(*preset)) {
          object.emplace(property.key(), *preset);
        }
      }
    }
    for (auto& member : object) {
      if (is_object && internal::is_header(member.key())) continue;
      fill_in_value(member.value(), member_schema(schema, member.key()));
    }
  }

 private:
  bool may_add(const json::Value& preset) {
    const std::size_t count = is_exhausted_ ? 0 : count_values(preset);
    if (count > left_) is_exhausted_ = true;
    if (is_exhausted_) return false;
    left_ -= count;
    return changed_ = true;
  }

  void remove_nulls(json::Object& object, const json::Object& schema) {
    k8s::erase_members(object, [&](std::string_view name) {
      const json::Value& value = object.at(name);
      if (!value.is_null()) return false;
      const json::Object* inner = member_schema(schema, name);
      const bool is_gone = is_absent(value, inner) && internal::default_of(*inner) == nullptr;
      changed_ = changed_ || is_gone;
      return is_gone;
    });
  }

  /// Sets the defaults of a value; nullptr: it has no schema.
  void fill_in_value(json::Value& value, const json::Object* schema) {
    if (schema == nullptr) return;
    if (is_absent(value, schema)) {
      const json::Value* preset = adds_ ? internal::default_of(*schema) : nullptr;
      if (preset == nullptr || !may_add(*preset)) return;
      value = *preset;
    }
    if (json::Object* object = value.if_object()) {
      fill_in_members(*object, *schema, false);
    } else if (json::Array* array = value.if_array()) {
      const json::Object* items = item_schema(*schema);
      for (json::Value& item : *array) fill_in_value(item, items);
    }
  }

  std::size_t left_;
  bool removes_nulls_, adds_;
  bool changed_ = false, is_exhausted_ = false;
};

}  // namespace

Result<bool> fill_in_defaults(json::Object& object, const json::Object& schema, std::size_t max_values,
                              Nulls nulls) {
  Defaults defaults(max_values, nulls, true);
  defaults.fill_in_members(object, schema, true);
  if (defaults.is_exhausted()) {
    return fail(ErrorCode::too_large, "the defaults of the schema make an object of more than " +
                                          std::to_string(max_values) +
                                          " values; make lists in defaults shorter");
  }
  return defaults.changed();
}

bool remove_nulls(json::Object& object, const json::Object& schema) {
  Defaults defaults(0, Nulls::removed, false);
  defaults.fill_in_members(object, schema, true);
  return defaults.changed();
}

}  // namespace fairway::schema
