// SPDX-License-Identifier: Apache-2.0

#include "schema/structural.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "schema/internal/definition_rules.h"
#include "schema/internal/keywords.h"
#include "schema/internal/pattern.h"

namespace fairway::schema {

namespace {

using internal::array_at;
using internal::flag_at;
using internal::object_at;
using internal::property_of;
using internal::text_at;

enum class Level { root, item, field };

std::string at(const std::string& path, std::string_view name) {
  return path + "." + std::string(name);
}
std::string at_key(const std::string& path, std::string_view name, std::string_view key) {
  return at(path, name) + '[' + std::string(key) + ']';
}
std::string at_index(const std::string& path, std::string_view name, std::size_t index) {
  return at(path, name) + '[' + std::to_string(index) + ']';
}

bool is_zero(const json::Value& value) {
  return value.is_null() || (value.is_bool() && !value.get_bool()) ||
         (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty()) || (value.is_object() && value.get_object().empty());
}

/// Returns whether a schema has nothing but a type.
bool is_only_type(const json::Value& schema, std::string_view type) {
  const json::Object* object = schema.if_object();
  return object != nullptr && text_at(*object, "type") == type &&
         std::ranges::all_of(
             *object, [](const auto& member) { return member.key() == "type" || is_zero(member.value()); });
}

/// `anyOf: [{type: integer}, {type: string}]`, the one place where a nested schema may have a type.
bool is_int_or_string(const json::Object& schema) {
  const json::Array* branches = array_at(schema, "anyOf");
  return branches != nullptr && branches->size() == 2 && is_only_type((*branches)[0], "integer") &&
         is_only_type((*branches)[1], "string");
}

bool begins_with_int_or_string(const json::Object& schema) {
  const json::Array* all = array_at(schema, "allOf");
  const json::Object* first = all != nullptr && !all->empty() ? all->front().if_object() : nullptr;
  return first != nullptr && is_int_or_string(*first);
}

class Structural {
 public:
  Violations take() {
    std::ranges::sort(problems_, {}, &Violation::to_string);
    return std::move(problems_);
  }

  void check(const json::Object& schema, Level level, const std::string& path) {
    const json::Object* items = object_at(schema, "items");
    if (text_at(schema, "type") == "array" && items == nullptr)
      add(required(at(path, "items"), "must be specified"));
    if (items != nullptr) check(*items, Level::item, at(path, "items"));
    if (const json::Object* properties = object_at(schema, "properties")) {
      for (const auto& property : *properties) {
        const json::Object* inner = property.value().if_object();
        if (inner != nullptr) check(*inner, Level::field, at_key(path, "properties", property.key()));
      }
    }
    check_additional_properties(schema, level, path);
    check_extensions(schema, path);
    check_values(schema, is_int_or_string(schema), begins_with_int_or_string(schema), level, path);
    check_type(schema, level, path);
    check_headers(schema, level, path);
  }

  /// Checks that fields that a branch names are specified outside of it.
  void check_complete(const json::Object& values, const json::Object& schema, const std::string& schema_path,
                      const std::string& path) {
    for_each_branch(values, path, [&](const json::Object& branch, const std::string& branch_path) {
      check_branch_complete(branch, &schema, schema_path, branch_path);
    });
  }

 private:
  void add(Violation problem) { problems_.push_back(std::move(problem)); }

  template <class Visit>
  static void for_each_branch(const json::Object& values, const std::string& path, const Visit& visit) {
    if (const json::Object* branch = object_at(values, "not")) visit(*branch, at(path, "not"));
    for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) {
      const json::Array* branches = array_at(values, name);
      for (std::size_t i = 0; branches != nullptr && i < branches->size(); ++i) {
        if (const json::Object* branch = (*branches)[i].if_object()) visit(*branch, at_index(path, name, i));
      }
    }
  }

  void check_branch_complete(const json::Object& branch, const json::Object* schema,
                             const std::string& schema_path, const std::string& path) {
    if (schema == nullptr) return add(required(schema_path, "because it is defined in " + path));
    check_complete(branch, *schema, schema_path, path);
    if (const json::Object* items = object_at(branch, "items")) {
      check_branch_complete(*items, object_at(*schema, "items"), at(schema_path, "items"), at(path, "items"));
    }
    const json::Object* properties = object_at(branch, "properties");
    if (properties == nullptr) return;
    for (const auto& property : *properties) {
      const json::Object* inner = property.value().if_object();
      if (inner == nullptr) continue;
      check_branch_complete(*inner, property_of(*schema, property.key()),
                            at_key(schema_path, "properties", property.key()),
                            at_key(path, "properties", property.key()));
    }
  }

  void check_additional_properties(const json::Object& schema, Level level, const std::string& path) {
    const json::Value* additional = schema.if_contains("additionalProperties");
    if (additional == nullptr || additional->is_null()) return;
    const std::string own = at(path, "additionalProperties");
    if (level == Level::root) add(forbidden(own, "must not be used at the root"));
    if (const json::Object* inner = additional->if_object()) check(*inner, Level::field, own);
    if (internal::is_embedded(schema)) {
      add(forbidden(own, "must not be used if x-kubernetes-embedded-resource is set"));
    }
  }

  void check_extensions(const json::Object& schema, const std::string& path) {
    if (!flag_at(schema, "x-kubernetes-int-or-string")) return;
    for (const std::string_view name :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (flag_at(schema, name)) {
        add(invalid(at(path, name), true, "must be false if x-kubernetes-int-or-string is true"));
      }
    }
  }

  void check_values(const json::Object& values, bool is_any_exempt, bool is_first_all_exempt, Level level,
                    const std::string& path) {
    for (const std::string_view name : {"anyOf", "allOf", "oneOf"}) {
      const json::Array* branches = array_at(values, name);
      if (branches == nullptr || (name == "anyOf" && is_any_exempt)) continue;
      for (std::size_t i = 0; i < branches->size(); ++i) {
        const json::Object* branch = (*branches)[i].if_object();
        const bool is_exempt = name == "allOf" && i == 0 && is_first_all_exempt;
        if (branch != nullptr) check_branch(*branch, is_exempt, level, at_index(path, name, i));
      }
    }
    if (const json::Object* branch = object_at(values, "not"))
      check_branch(*branch, false, level, at(path, "not"));
    const std::string_view pattern = text_at(values, "pattern");
    if (const auto fault = internal::find_pattern_fault(pattern)) {
      add(invalid(at(path, "pattern"), pattern, "must be a valid regular expression, but isn't: " + *fault));
    }
  }

  /// Checks that a branch of allOf and its like does not specify the structure.
  void check_branch(const json::Object& branch, bool is_any_exempt, Level level, const std::string& path) {
    check_values(branch, is_any_exempt, false, level, path);
    if (const json::Object* items = object_at(branch, "items"))
      check_branch(*items, false, level, at(path, "items"));
    if (const json::Object* properties = object_at(branch, "properties")) {
      for (const auto& property : *properties) {
        const json::Object* inner = property.value().if_object();
        const std::string own = at_key(path, "properties", property.key());
        if (inner != nullptr) check_branch(*inner, false, Level::field, own);
        if (property.key() == "metadata") add(forbidden(own, "must not be specified in a nested context"));
      }
    }
    constexpr std::pair<std::string_view, std::string_view> not_nested[] = {
        {"type", "must be empty to be structural"},
        {"additionalProperties", "must be undefined to be structural"},
        {"default", "must be undefined to be structural"},
        {"title", "must be empty to be structural"},
        {"description", "must be empty to be structural"},
        {"nullable", "must be false to be structural"},
        {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
        {"x-kubernetes-embedded-resource", "must be false to be structural"},
        {"x-kubernetes-int-or-string", "must be false to be structural"},
        {"x-kubernetes-list-map-keys", "must be empty to be structural"},
        {"x-kubernetes-list-type", "must be undefined to be structural"},
        {"x-kubernetes-map-type", "must be undefined to be structural"},
        {"x-kubernetes-validations", "must be empty to be structural"}};
    for (const auto& [name, rule] : not_nested) {
      const json::Value* value = branch.if_contains(name);
      if (value == nullptr) continue;
      const bool counts_when_empty = name == "default" || name == "additionalProperties" ||
                                     name == "x-kubernetes-list-type" || name == "x-kubernetes-map-type";
      const bool is_unset = counts_when_empty ? value->is_null() || (value->is_bool() && !value->get_bool() &&
                                                                     name == "additionalProperties")
                                              : is_zero(*value);
      if (!is_unset) add(forbidden(at(path, name), rule));
    }
  }

  void check_type(const json::Object& schema, Level level, const std::string& path) {
    const std::string_view type = text_at(schema, "type");
    const std::string own = at(path, "type");
    if (internal::is_embedded(schema) && type != "object") {
      constexpr std::string_view rule = "must be object if x-kubernetes-embedded-resource is true";
      add(type.empty() ? required(own, rule) : invalid(own, type, rule));
    } else if (type.empty() && !flag_at(schema, "x-kubernetes-int-or-string") &&
               !internal::keeps_unknown(schema)) {
      add(required(own, level == Level::root   ? "must not be empty at the root"
                        : level == Level::item ? "must not be empty for specified array items"
                                               : "must not be empty for specified object fields"));
    }
    if (level == Level::root && !type.empty() && type != "object") {
      add(invalid(own, type, "must be object at the root"));
    }
  }

  void check_headers(const json::Object& schema, Level level, const std::string& path) {
    const bool is_object = level == Level::root || internal::is_embedded(schema);
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const json::Object* header = property_of(schema, name);
      if (is_object && header != nullptr && text_at(*header, "type") != "string") {
        add(invalid(at(at_key(path, "properties", name), "type"), text_at(*header, "type"),
                    "must be string"));
      }
    }
    if (const json::Object* metadata = property_of(schema, "metadata")) {
      const std::string own = at_key(path, "properties", "metadata");
      const std::string_view type = text_at(*metadata, "type");
      if (is_object && type != "object") add(invalid(at(own, "type"), type, "must be object"));
      if (level == Level::root && !says_only_names(*metadata)) {
        add(forbidden(
            own,
            "must not specify anything other than name and generateName, but metadata is implicitly "
            "specified"));
      }
    }
    const json::Object* properties = object_at(schema, "properties");
    if (internal::is_embedded(schema) && !internal::keeps_unknown(schema) &&
        (properties == nullptr || properties->empty())) {
      add(required(at(path, "properties"),
                   "must not be empty if x-kubernetes-embedded-resource is true without "
                   "x-kubernetes-preserve-unknown-fields"));
    }
  }

  static bool says_only_names(const json::Object& metadata) {
    return std::ranges::all_of(metadata, [](const auto& member) {
      const std::string_view name = member.key();
      if (name == "type" || name == "default" || is_zero(member.value())) return true;
      const json::Object* properties = member.value().if_object();
      return name == "properties" && properties != nullptr &&
             std::ranges::all_of(*properties, [](const auto& one) {
               return one.key() == "name" || one.key() == "generateName";
             });
    });
  }

  Violations problems_;
};

}  // namespace

Violations check_structural(const json::Object& schema, std::string_view path) {
  if (const auto unsupported = internal::find_unsupported_keyword(schema)) {
    return {invalid(std::string(path), "", *unsupported)};
  }
  Structural structural;
  structural.check(schema, Level::root, std::string(path));
  structural.check_complete(schema, schema, std::string(path), std::string(path));
  return structural.take();
}

Violations check_definition_schema(const json::Object& schema, std::string_view path) {
  Violations problems;
  const auto unsupported = internal::find_unsupported_keyword(schema);
  if (flag_at(schema, "nullable")) {
    problems.push_back(forbidden(std::string(path) + ".nullable", "nullable cannot be true at the root"));
  }
  if (!unsupported) {
    Violations more = check_structural(schema, path);
    if (more.empty()) more = internal::check_defaults(schema, path);
    problems.insert(problems.end(), more.begin(), more.end());
  }
  const Violations more = internal::check_keywords(schema, path);
  problems.insert(problems.end(), more.begin(), more.end());
  // It says the same as the rule for the keyword, if there is one.
  if (problems.empty() && unsupported) problems.push_back(invalid(std::string(path), "", *unsupported));
  return problems;
}

}  // namespace fairway::schema
