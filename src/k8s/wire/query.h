// The query of a request to an API server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "k8s/status.h"

namespace fairway::k8s {

/// Names and values, decoded, in the order in which they stand.
class Query {
 public:
  Query() = default;
  /// `encoded` is what stands behind "?", which may be empty. Errors (400): a broken escape, a semicolon, and
  /// text that is not UTF-8. Kubernetes drops such pairs; here a selector that cannot be read must not mean
  /// everything.
  static StatusResult<Query> parse(std::string_view encoded);

  void add(std::string_view name, std::string_view value) { pairs_.emplace_back(name, value); }
  /// Only where there is a value.
  void add_if_set(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  }
  /// The first value of that name: of one that stands twice, servers read the first.
  std::optional<std::string_view> find(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }
  bool empty() const { return pairs_.empty(); }
  /// Puts the names into alphabetical order, as client-go and kubectl send them.
  void sort();
  /// Encoded, without "?".
  std::string to_string() const;
  friend bool operator==(const Query&, const Query&) = default;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace fairway::k8s
