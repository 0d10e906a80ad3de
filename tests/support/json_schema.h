// SPDX-License-Identifier: Apache-2.0

// Holds JSON against the schemas of an OpenAPI document.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::testing {

/// The part of JSON Schema 2020-12 that the document uses; another keyword is a failure, so that none is
/// ignored.
class Schemas {
 public:
  explicit Schemas(const json::Value& document) : document_(document) {}

  const json::Value& resolve(const json::Value& value) const {
    const json::Value* found = &value;
    while (const auto reference = json::find_string(*found, "$ref")) {
      EXPECT_TRUE(reference->starts_with("#/")) << *reference;
      found = &document_.at_pointer(reference->substr(1));
    }
    return *found;
  }

  /// Returns "" if `value` fits, else the part that does not.
  std::string check(const json::Value& value, const json::Value& schema_or_reference,
                    const std::string& at) const {
    const json::Value& schema = resolve(schema_or_reference);
    for (const auto& [keyword, rule] : schema.as_object()) {
      const std::string wrong = check_keyword(value, std::string(keyword), rule, at);
      if (!wrong.empty()) return wrong;
    }
    if (value.is_object()) return check_unnamed(value, schema, at);
    return "";
  }

 private:
  std::string check_keyword(const json::Value& value, const std::string& keyword, const json::Value& rule,
                            const std::string& at) const {
    if (keyword == "type")
      return has_type(value, rule.as_string()) ? "" : at + " is no " + std::string(rule.as_string());
    if (keyword == "required") {
      for (const json::Value& key : rule.as_array()) {
        if (json::find(value, key.as_string()) == nullptr)
          return at + " lacks " + std::string(key.as_string());
      }
      return "";
    }
    if (keyword == "properties") {
      for (const auto& [key, schema] : rule.as_object()) {
        const json::Value* member = json::find(value, key);
        if (member == nullptr) continue;
        if (auto wrong = check(*member, schema, at + "." + std::string(key)); !wrong.empty()) return wrong;
      }
      return "";
    }
    if (keyword == "items") {
      for (const json::Value& item : value.as_array()) {
        if (auto wrong = check(item, rule, at + "[]"); !wrong.empty()) return wrong;
      }
      return "";
    }
    if (keyword == "additionalProperties") {
      for (const auto& member : value.as_object()) {
        if (auto wrong = check(member.value(), rule, at + ".*"); !wrong.empty()) return wrong;
      }
      return "";
    }
    if (keyword == "enum") {
      for (const json::Value& allowed : rule.as_array()) {
        if (allowed == value) return "";
      }
      return at + " is none of the enum";
    }
    if (keyword == "const") return rule == value ? "" : at + " is not the const";
    if (keyword == "minimum")
      return value.to_number<double>() >= rule.to_number<double>() ? "" : at + " is too small";
    if (keyword == "minItems")
      return value.as_array().size() >= rule.to_number<std::size_t>() ? "" : at + " is short";
    if (keyword == "maxItems")
      return value.as_array().size() <= rule.to_number<std::size_t>() ? "" : at + " is long";
    if (keyword == "description" || keyword == "$ref") return "";
    return "the keyword " + keyword + " is not known to this test";
  }

  static bool has_type(const json::Value& value, std::string_view type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_bool()
           : type == "integer" ? value.is_int64() || value.is_uint64()
                               : false;
  }

  /// Returns the fault of an object with a member that the schema's `properties` do not name, and so the
  /// document hides; "" without one.
  static std::string check_unnamed(const json::Value& value, const json::Value& schema,
                                   const std::string& at) {
    const json::Value* properties = json::find(schema, "properties");
    if (properties == nullptr || json::find(schema, "additionalProperties") != nullptr) return "";
    // Rules of a risk are taken over as they came.
    if (at.ends_with("matchingRules[]")) return "";
    for (const auto& member : value.as_object()) {
      if (json::find(*properties, member.key()) == nullptr)
        return at + " has " + std::string(member.key()) + " too";
    }
    return "";
  }

  const json::Value& document_;
};

}  // namespace fairway::testing
