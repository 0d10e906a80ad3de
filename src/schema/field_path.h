// SPDX-License-Identifier: Apache-2.0

// The path of a field in an object: `spec.ports[name="http"].port`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::schema {

/// Selects the list item whose members have these values (strings, numbers or booleans).
struct ListKey {
  std::vector<std::pair<std::string, json::Value>> members = {};

  bool matches(const json::Value& item) const;
};

/// One step: a member, an item by index, or an item by its keys.
using PathStep = std::variant<std::string, std::size_t, ListKey>;

/// The text form is dot-separated, as in Kubernetes field paths. A name that is not plain is
/// quoted in brackets: `spec.config["a.b"]`. Items: `[0]`, `[name="http"]`,
/// `[port=80,protocol="TCP"]`.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::vector<PathStep> steps) : steps_(std::move(steps)) {}
  /// Errors name the column, counted from 1.
  static Result<FieldPath> parse(std::string_view text);

  const std::vector<PathStep>& steps() const { return steps_; }
  bool empty() const { return steps_.empty(); }
  std::string to_string() const;

  /// The value at the path; nullptr if absent.
  const json::Value* find(const json::Object& object) const;

 private:
  std::vector<PathStep> steps_;
};

// Append steps to the text form.
void append_member(std::string& path, std::string_view name);
void append_index(std::string& path, std::size_t index);
void append_key(std::string& path, const ListKey& key);

/// The value at one step; nullptr if absent.
const json::Value* follow(const json::Value& value, const PathStep& step);
json::Value* follow(json::Value& value, const PathStep& step);

}  // namespace fairway::schema
