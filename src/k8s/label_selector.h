// SPDX-License-Identifier: Apache-2.0

// Label selectors: select objects by their labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "k8s/view.h"

namespace fairway::k8s {

/// One requirement on one label.
struct LabelRequirement {
  enum class Operator { in, not_in, exists, does_not_exist, greater_than, less_than };
  std::string key = {};
  Operator op = Operator::exists;
  /// Values, sorted, without duplicates. `in` and `not_in` have at least one; `greater_than` and `less_than`
  /// have exactly one, an integer.
  std::vector<std::string> values = {};

  /// Returns whether labels match. An absent label matches `not_in` and `does_not_exist`, and nothing else.
  bool matches(const StringMap& labels) const;
  /// Returns the text form: "a=b", "a in (b,c)", "!a".
  std::string to_string() const;
  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;
};

class LabelSelector {
 public:
  /// Creates a selector that matches everything.
  LabelSelector() = default;
  static LabelSelector everything() { return {}; }
  /// Returns a selector that matches nothing, also on a server: "nothing,!nothing".
  static LabelSelector nothing();

  /// Parses the text form: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`; an empty text matches everything.
  /// Errors name the column, counted from 1.
  static Result<LabelSelector> parse(std::string_view text);
  /// Reads the object form, with `matchLabels` and `matchExpressions`; absent (nullptr) or null matches
  /// nothing, empty matches everything. An unknown field is an error, because ignoring it would select more
  /// than intended. Errors name the field below `path`.
  static Result<LabelSelector> from(const json::Value* selector, std::string_view path = "selector");
  /// Returns a selector of objects that have all of these labels with these values.
  static Result<LabelSelector> of_labels(const StringMap& labels);

  bool matches(const StringMap& labels) const;
  /// Returns the text form for a request to a server, sorted by key.
  std::string to_string() const;
  bool is_everything() const { return requirements_.empty(); }
  /// Returns the requirements, sorted by key.
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;

 private:
  explicit LabelSelector(std::vector<LabelRequirement> requirements);
  std::vector<LabelRequirement> requirements_;
};

}  // namespace fairway::k8s
