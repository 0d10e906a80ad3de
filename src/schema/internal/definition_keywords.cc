// SPDX-License-Identifier: Apache-2.0

// Keywords of a definition's schema: what each may say, and beside which others.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "k8s/view.h"
#include "schema/internal/definition_rules.h"
#include "schema/internal/keywords.h"

namespace fairway::schema::internal {

namespace {

/// Returns whether a keyword is set at all; Go tells empty from absent for some of them only.
bool is_set(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value != nullptr && !value->is_null();
}

bool is_filled(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  return value != nullptr && ((value->is_string() && !value->get_string().empty()) ||
                              (value->is_object() && !value->get_object().empty()) ||
                              (value->is_array() && !value->get_array().empty()));
}

const std::vector<std::string> list_type_names{"atomic", "set", "map"}, map_type_names{"atomic", "granular"},
    type_names{"array", "boolean", "integer", "number", "object", "string"},
    reasons{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"};

bool is_one_of(std::string_view text, const std::vector<std::string>& names) {
  return std::ranges::find(names, text) != names.end();
}

/// The rules for a schema that follow from its place.
struct Context {
  bool is_root = false;
  /// True below apiVersion, kind or metadata.
  bool is_in_header = false;
  /// The reason why a default is not allowed; empty if it is.
  std::string no_default_because = {};
};

class Keywords {
 public:
  Violations take() { return std::move(problems_); }

  void check(const json::Object& schema, const std::string& path, const Context& context) {
    check_supported(schema, path, context);
    if (flag_at(schema, "uniqueItems")) {
      add(forbidden(path + ".uniqueItems",
                    "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
    }
    check_members(schema, path, context);
    check_branches(schema, path, context);
    if (const json::Object* items = object_at(schema, "items"))
      check(*items, path + ".items", below(context));
    if (const json::Value* keeps = schema.if_contains("x-kubernetes-preserve-unknown-fields");
        keeps != nullptr && keeps->is_bool() && !keeps->get_bool()) {
      add(invalid(path + ".x-kubernetes-preserve-unknown-fields", false, "must be true or undefined"));
    }
    check_map_type(schema, path);
    check_list_type(schema, path);
    if (text_at(schema, "x-kubernetes-list-type") == "map") check_list_map(schema, path);
    check_items_of_list(schema, path);
    check_rules(schema, path);
  }

 private:
  void add(Violation problem) { problems_.push_back(std::move(problem)); }

  static Context below(const Context& context) {
    return {false, context.is_in_header, context.no_default_because};
  }

  void check_supported(const json::Object& schema, const std::string& path, const Context& context) {
    const std::string_view type = text_at(schema, "type");
    if (!type.empty() && !is_one_of(type, type_names)) add(not_supported(path + ".type", type, type_names));
    if (default_of(schema) != nullptr && !context.no_default_because.empty()) {
      add(forbidden(path + ".default", "must not be set " + context.no_default_because));
    }
    const auto unsupported = [&](std::string_view key) {
      add(forbidden(path + '.' + std::string(key), std::string(key) + " is not supported"));
    };
    if (is_filled(schema, "id")) unsupported("id");
    if (is_set(schema, "additionalItems")) unsupported("additionalItems");
    if (is_filled(schema, "patternProperties")) unsupported("patternProperties");
    if (is_filled(schema, "definitions")) unsupported("definitions");
    if (is_set(schema, "dependencies")) unsupported("dependencies");
    if (is_set(schema, "$ref")) unsupported("$ref");
    if (type == "null") {
      add(forbidden(path + ".type", "type cannot be set to null, use nullable as an alternative"));
    }
    if (array_at(schema, "items") != nullptr && is_filled(schema, "items")) {
      add(forbidden(path + ".items", "items must be a schema object and not an array"));
    }
    if (context.is_in_header && is_embedded(schema)) {
      add(forbidden(path + ".x-kubernetes-embedded-resource", "must not be used inside of resource meta"));
    }
  }

  void check_members(const json::Object& schema, const std::string& path, const Context& context) {
    const json::Value* additional = schema.if_contains("additionalProperties");
    if (additional != nullptr && (additional->is_bool() || additional->is_object())) {
      const bool allows_all = additional->is_bool() && additional->get_bool();
      if (is_filled(schema, "properties") && !allows_all) {
        add(forbidden(path + ".additionalProperties",
                      "additionalProperties and properties are mutual exclusive"));
      }
      if (const json::Object* inner = additional->if_object()) {
        Context own = below(context);
        if (context.is_in_header)
          own.no_default_because = "inside additionalProperties applying to object metadata";
        check(*inner, path + ".additionalProperties", own);
      }
    }
    const json::Object* properties = object_at(schema, "properties");
    if (properties == nullptr) return;
    for (const auto& property : *properties) {
      const json::Object* inner = property.value().if_object();
      if (inner == nullptr) continue;
      const std::string_view name = property.key();
      Context own = below(context);
      if ((context.is_root || is_embedded(schema)) && is_header(name)) {
        own.is_in_header = true;
        if (context.is_root) own.no_default_because = "in top-level " + std::string(name);
      }
      check(*inner, path + ".properties[" + std::string(name) + ']', own);
    }
  }

  void check_branches(const json::Object& schema, const std::string& path, const Context& context) {
    if (const json::Object* branch = object_at(schema, "not")) check(*branch, path + ".not", below(context));
    for (const std::string_view name : {"allOf", "oneOf", "anyOf"}) {
      const json::Array* branches = array_at(schema, name);
      for (std::size_t i = 0; branches != nullptr && i < branches->size(); ++i) {
        const json::Object* branch = (*branches)[i].if_object();
        if (branch == nullptr) continue;
        check(*branch, path + '.' + std::string(name) + '[' + std::to_string(i) + ']', below(context));
      }
    }
  }

  void check_map_type(const json::Object& schema, const std::string& path) {
    if (!is_set(schema, "x-kubernetes-map-type")) return;
    const std::string_view type = text_at(schema, "type"),
                           map_type = text_at(schema, "x-kubernetes-map-type");
    if (type != "object") {
      constexpr std::string_view rule = "must be object if x-kubernetes-map-type is specified";
      add(type.empty() ? required(path + ".type", rule) : invalid(path + ".type", type, rule));
    }
    if (!is_one_of(map_type, map_type_names)) {
      add(not_supported(path + ".x-kubernetes-map-type", map_type, map_type_names));
    }
  }

  void check_list_type(const json::Object& schema, const std::string& path) {
    const bool has_type = is_set(schema, "x-kubernetes-list-type");
    const std::string own = path + ".x-kubernetes-list-type";
    const std::string_view type = text_at(schema, "type"),
                           list_type = text_at(schema, "x-kubernetes-list-type");
    if (has_type && type != "array") {
      constexpr std::string_view rule = "must be array if x-kubernetes-list-type is specified";
      add(type.empty() ? required(path + ".type", rule) : invalid(path + ".type", type, rule));
    } else if (list_type == "set") {
      check_set(schema, path);
    }
    if (has_type && !is_one_of(list_type, list_type_names))
      add(not_supported(own, list_type, list_type_names));
    if (is_filled(schema, "x-kubernetes-list-map-keys")) {
      constexpr std::string_view rule = "must be map if x-kubernetes-list-map-keys is non-empty";
      if (!has_type) {
        add(required(own, rule));
      } else if (list_type != "map") {
        add(invalid(own, list_type, rule));
      }
    }
  }

  void check_set(const json::Object& schema, const std::string& path) {
    const json::Object* items = object_at(schema, "items");
    if (items == nullptr) return;
    constexpr std::string_view rule = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const json::Value* list_type = items->if_contains("x-kubernetes-list-type");
    const json::Value none;
    const json::Value& shown = list_type != nullptr ? *list_type : none;
    if (text_at(*items, "type") == "array" && is_set(*items, "x-kubernetes-list-type") &&
        text_at(*items, "x-kubernetes-list-type") != "atomic") {
      add(invalid(path + ".items.x-kubernetes-list-type", shown, rule));
    }
    if (text_at(*items, "type") == "object" && text_at(*items, "x-kubernetes-map-type") != "atomic") {
      add(invalid(path + ".items.x-kubernetes-map-type", shown, rule));
    }
  }

  void check_list_map(const json::Object& schema, const std::string& path) {
    const std::string own = path + ".x-kubernetes-list-map-keys";
    if (!is_filled(schema, "x-kubernetes-list-map-keys")) {
      add(required(own, "must not be empty if x-kubernetes-list-type is map"));
    }
    if (!is_set(schema, "items")) {
      add(required(path + ".items", "must have a schema if x-kubernetes-list-type is map"));
    }
    const json::Object* items = object_at(schema, "items");
    if (items == nullptr) return;
    const std::string_view type = text_at(*items, "type");
    if (type != "object") {
      return add(invalid(path + ".items.type", type,
                         "must be object if parent array's x-kubernetes-list-type is map"));
    }
    std::set<std::string_view> seen;
    for (const std::string_view key : k8s::View(schema).texts("x-kubernetes-list-map-keys")) {
      const json::Value& all = *schema.if_contains("x-kubernetes-list-map-keys");
      const json::Object* property = property_of(*items, key);
      if (property == nullptr) {
        add(invalid(own, all, "entries must all be names of item properties"));
      } else if (text_at(*property, "type") == "array" || text_at(*property, "type") == "object") {
        add(invalid(path + ".items.properties[" + std::string(key) + "].type", type,
                    "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      }
      if (!seen.insert(key).second) add(invalid(own, all, "must not contain duplicate entries"));
    }
  }

  /// Checks that items of sets and maps are not nullable, and that the keys of maps are required or have
  /// defaults.
  void check_items_of_list(const json::Object& schema, const std::string& path) {
    const std::string_view list_type = text_at(schema, "x-kubernetes-list-type");
    const json::Object* items = object_at(schema, "items");
    if (items == nullptr || (list_type != "set" && list_type != "map")) return;
    if (flag_at(*items, "nullable")) {
      add(forbidden(path + ".items.nullable",
                    "cannot be nullable when x-kubernetes-list-type is " + std::string(list_type)));
    }
    if (list_type == "set") return;
    const auto required_names = k8s::View(*items).texts("required");
    for (const std::string_view key : k8s::View(schema).texts("x-kubernetes-list-map-keys")) {
      const json::Object* property = property_of(*items, key);
      if (property == nullptr) continue;
      const std::string own = path + ".items.properties[" + std::string(key) + ']';
      if (std::ranges::find(required_names, key) == required_names.end() &&
          default_of(*property) == nullptr) {
        add(required(
            own + ".default",
            "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
            "property"));
      }
      if (flag_at(*property, "nullable")) {
        add(forbidden(own + ".nullable",
                      "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
      }
    }
  }

  static std::string_view trim(std::string_view text) {
    constexpr std::string_view space = " \t\n\v\f\r";
    const std::size_t begin = text.find_first_not_of(space);
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(space) - begin + 1);
  }

  static bool has_line_breaks(std::string_view text) {
    return text.find_first_of("\n\r") != std::string_view::npos;
  }

  /// Checks the form of rules in CEL, not their expressions.
  void check_rules(const json::Object& schema, const std::string& path) {
    std::size_t i = 0;
    for (const k8s::View& rule : k8s::View(schema).items("x-kubernetes-validations")) {
      const std::string own = path + ".x-kubernetes-validations[" + std::to_string(i++) + ']';
      const std::string_view expression = trim(rule.text("rule")), message = rule.text("message"),
                             field_path = rule.text("fieldPath");
      if (expression.empty()) {
        add(required(own + ".rule", "rule is not specified"));
      } else if (!message.empty() && trim(message).empty()) {
        add(invalid(own + ".message", message, "must be non-empty if specified"));
      } else if (has_line_breaks(trim(message))) {
        add(invalid(own + ".message", message, "must not contain line breaks"));
      } else if (has_line_breaks(expression) && trim(message).empty()) {
        add(required(own + ".message", "message must be specified if rule contains line breaks"));
      }
      if (const std::string_view made = rule.text("messageExpression"); !made.empty() && trim(made).empty()) {
        add(required(own + ".messageExpression", "messageExpression must be non-empty if specified"));
      }
      if (const auto reason = rule.find_text("reason"); reason && !is_one_of(*reason, reasons)) {
        add(not_supported(own + ".reason", *reason, reasons));
      }
      if (!field_path.empty() && trim(field_path).empty()) {
        add(invalid(own + ".fieldPath", field_path, "must be non-empty if specified"));
      }
      if (has_line_breaks(field_path)) {
        add(invalid(own + ".fieldPath", field_path, "must not contain line breaks"));
      }
    }
  }

  Violations problems_;
};

}  // namespace

std::optional<std::string> find_unsupported_keyword(const json::Object& schema) {
  constexpr std::string_view unsupported[] = {"id", "$schema", "$ref", "patternProperties", "definitions"};
  for (const std::string_view key : unsupported) {
    if (is_filled(schema, key)) {
      return "OpenAPIV3Schema '" + std::string(key == "$schema" ? "schema" : key) + "' is not supported";
    }
  }
  if (is_filled(schema, "dependencies")) return "OpenAPIV3Schema 'dependencies' is not supported";
  if (is_set(schema, "additionalItems")) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (array_at(schema, "items") != nullptr && is_filled(schema, "items")) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  if (const json::Value* keeps = schema.if_contains("x-kubernetes-preserve-unknown-fields");
      keeps != nullptr && keeps->is_bool() && !keeps->get_bool()) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  for (const std::string_view key : {"not", "items", "additionalProperties"}) {
    if (const json::Object* inner = object_at(schema, key)) {
      if (auto found = find_unsupported_keyword(*inner)) return found;
    }
  }
  for (const std::string_view key : {"allOf", "anyOf", "oneOf"}) {
    const json::Array* branches = array_at(schema, key);
    for (std::size_t i = 0; branches != nullptr && i < branches->size(); ++i) {
      const json::Object* branch = (*branches)[i].if_object();
      if (branch == nullptr) continue;
      if (auto found = find_unsupported_keyword(*branch)) return found;
    }
  }
  if (const json::Object* properties = object_at(schema, "properties")) {
    for (const auto& property : *properties) {
      const json::Object* inner = property.value().if_object();
      if (inner == nullptr) continue;
      if (auto found = find_unsupported_keyword(*inner)) return found;
    }
  }
  return std::nullopt;
}

Violations check_keywords(const json::Object& schema, std::string_view path) {
  Keywords keywords;
  keywords.check(schema, std::string(path), {.is_root = true});
  return keywords.take();
}

}  // namespace fairway::schema::internal
