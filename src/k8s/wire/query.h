// SPDX-License-Identifier: Apache-2.0

// The query of a request to an API server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "k8s/status.h"

namespace fairway::k8s {

/// Names and values, decoded, in order.
class Query {
 public:
  Query() = default;
  /// Parses a query. `encoded` has no "?" and may be empty. Errors (400): a malformed escape, a semicolon,
  /// text that is not UTF-8. Kubernetes drops such parameters, but without its selector a request would match
  /// everything.
  static StatusResult<Query> parse(std::string_view encoded);

  void add(std::string_view name, std::string_view value) { pairs_.emplace_back(name, value); }
  /// Adds a parameter, unless the value is empty.
  void add_if_set(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  }
  /// Returns the first value with this name, which is the one that servers use.
  std::optional<std::string_view> find(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }
  bool empty() const { return pairs_.empty(); }
  /// Sorts by name, as client-go does.
  void sort();
  /// Returns the encoded query, without "?".
  std::string to_string() const;
  friend bool operator==(const Query&, const Query&) = default;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace fairway::k8s
