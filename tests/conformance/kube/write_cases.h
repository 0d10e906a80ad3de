// SPDX-License-Identifier: Apache-2.0

// Writes made at random, of the kinds that say who may do what.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace fairway::conformance {

/// The namespace of the requests for namespaced objects.
inline constexpr std::string_view space_of_cases = "matrix";
/// The users that send the requests, with their groups, beside an administrator ("master").
inline const std::vector<std::pair<std::string, std::string>> users_of_cases{
    {"ann", "red"}, {"bob", "red"}, {"cat", "blue"}, {"dan", ""}, {"eve", ""}};

/// A request. In its body and path, `@CSR` stands for a PEM request in base64.
struct WriteCase {
  std::string user, method, path, type;
  json::Value body;
  std::vector<std::pair<std::string, std::string>> headers;
  /// True if the body, if it is that of a PUT, gets the resourceVersion of the object as it is.
  bool takes_version = false;

  /// Returns the whole case in one line.
  std::string to_string() const;
};

/// Makes rights and writes; the same seed gives the same ones.
class WriteCases {
 public:
  explicit WriteCases(unsigned seed) : chance_(seed) {}

  /// The rules of somebody, in a ClusterRole or a Role.
  json::Array rights(bool of_cluster);
  WriteCase next();

 private:
  template <class List>
  const auto& any(const List& list) {
    return list[std::uniform_int_distribution<std::size_t>(0, std::size(list) - 1)(chance_)];
  }
  bool one_in(int count) { return std::uniform_int_distribution<int>(1, count)(chance_) == 1; }

  json::Object metadata(const std::string& name, bool is_namespaced);
  json::Object rule(bool of_cluster);
  json::Object role(bool of_cluster, json::Object metadata);
  json::Object binding(bool of_cluster, json::Object metadata);
  json::Object policy(bool validates, json::Object metadata);
  json::Object policy_binding(bool validates, json::Object metadata);
  json::Object signing_request(json::Object metadata);
  json::Object body_of(std::size_t kind, const std::string& name);
  WriteCase impersonation();
  WriteCase review();

  std::mt19937 chance_;
};

}  // namespace fairway::conformance
