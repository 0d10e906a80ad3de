// SPDX-License-Identifier: Apache-2.0

// Label matchers: the conditions of a selector on label values.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "promql/parser/dialect.h"

namespace fairway::promql {

inline constexpr std::string_view metric_name_label = "__name__";

/// Returns whether a name needs no quotes in a query: a letter or underscore, then letters, digits,
/// underscores.
bool is_plain_label_name(std::string_view name);
/// Returns whether a metric name needs no quotes in a query; it may also contain colons.
bool is_plain_metric_name(std::string_view name);

class Matcher {
 public:
  enum class Kind { equal, not_equal, regex, not_regex };

  /// Compiles a regular expression if the kind needs one; the error has the wording of Go's regexp package. A
  /// dot matches newlines in Prometheus 3, and not in 2.x.
  static std::expected<Matcher, std::string> make(Kind kind, std::string name, std::string value,
                                                  Dialect dialect);

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  const std::string& value() const { return value_; }
  /// Returns whether a label value matches; an absent label has the value "".
  bool matches(std::string_view value) const;
  /// Returns `job=~"a|b"`, with the name quoted if necessary.
  std::string to_string() const;

  friend bool operator==(const Matcher& a, const Matcher& b) {
    return a.kind_ == b.kind_ && a.name_ == b.name_ && a.value_ == b.value_;
  }

 private:
  struct Regex;
  Kind kind_ = Kind::equal;
  std::string name_, value_;
  std::shared_ptr<const Regex> regex_;
};

/// A fully anchored regular expression with capture groups, for label_replace.
class Replacement {
 public:
  static std::expected<Replacement, std::string> make(const std::string& regex, Dialect dialect);
  /// Expands `$1` and `${name}` in the template; false if `value` does not match in full.
  bool apply(std::string_view value, std::string_view replacement, std::string& out) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fairway::promql
