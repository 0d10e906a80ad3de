// Label matchers: what a selector asks of a label's value.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "promql/parser/dialect.h"

namespace fairway::promql {

inline constexpr std::string_view metric_name_label = "__name__";

/// Whether a name may stand in a query without quotes: a letter or underscore, then letters, digits,
/// underscores.
bool is_plain_label_name(std::string_view name);
/// The same for metric names, where colons may stand too.
bool is_plain_metric_name(std::string_view name);

class Matcher {
 public:
  enum class Kind { equal, not_equal, regex, not_regex };

  /// Compiles a regular expression where the kind needs one; the error is in the words of Go's regexp
  /// package. A dot matches line ends in Prometheus 3 and does not in 2.x.
  static std::expected<Matcher, std::string> make(Kind kind, std::string name, std::string value,
                                                  Dialect dialect);

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  const std::string& value() const { return value_; }
  /// Whether a label of this value is what the matcher asks for; a label that is not there has the value "".
  bool matches(std::string_view value) const;
  /// `job=~"a|b"`, the name in quotes where it needs them.
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

/// A whole-value regular expression with groups, as label_replace uses it.
class Replacement {
 public:
  static std::expected<Replacement, std::string> make(const std::string& regex, Dialect dialect);
  /// The template with `$1` and `${name}` filled in; false where `value` does not match as a whole.
  bool apply(std::string_view value, std::string_view replacement, std::string& out) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace fairway::promql
