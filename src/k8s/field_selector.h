// SPDX-License-Identifier: Apache-2.0

// Field selectors: select objects by a few of their fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/view.h"

namespace fairway::k8s {

struct FieldRequirement {
  /// Path of the field: "metadata.name".
  std::string path = {};
  bool equals = true;
  std::string value = {};

  friend bool operator==(const FieldRequirement&, const FieldRequirement&) = default;
};

class FieldSelector {
 public:
  /// Creates a selector that matches everything.
  FieldSelector() = default;
  explicit FieldSelector(std::vector<FieldRequirement> requirements)
      : requirements_(std::move(requirements)) {}

  /// Parses `a=b,c==d,e!=f`; `\\`, `\,` and `\=` stand for those characters in a value. Blanks are part of
  /// values. Empty terms are ignored, as on servers. Errors name the column, counted from 1.
  static Result<FieldSelector> parse(std::string_view text);

  /// Returns whether an object matches. An absent field is "", numbers and booleans are compared as text;
  /// objects and lists equal nothing. As on servers, an absent `spec.unschedulable` of a Node or
  /// `spec.hostNetwork` of a Pod is "false".
  bool matches(const View& object) const;
  std::string to_string() const;
  bool is_everything() const { return requirements_.empty(); }
  const std::vector<FieldRequirement>& requirements() const { return requirements_; }
  friend bool operator==(const FieldSelector&, const FieldSelector&) = default;

 private:
  std::vector<FieldRequirement> requirements_;
};

}  // namespace fairway::k8s
