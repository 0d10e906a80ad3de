// SPDX-License-Identifier: Apache-2.0

// JSONPath, as printer columns of CustomResourceDefinitions and kubectl use it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::table {

/// A path into a document: `.spec.color`, `.status.conditions[?(@.type=="Ready")].status`, `['a.b']`, `[0]`,
/// `[-1:]`, `[*]`, `..name`. In names, a backslash takes the next character as it is. The language and its
/// quirks are those of k8s.io/client-go/util/jsonpath, for one path without text around it.
class JsonPath {
 public:
  /// Parses a path. `text` is without braces. Errors (`invalid`) name the column, counted from 1.
  static Result<JsonPath> parse(std::string_view text);
  ~JsonPath();
  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;

  /// Returns the values at the path, which live as long as `document`; none if a member is absent. Errors
  /// (`invalid`): an index outside of its list, an index of a value that is no list, a comparison of values
  /// that cannot be compared.
  Result<std::vector<const json::Value*>> find(const json::Value& document) const;

  struct Node;

 private:
  explicit JsonPath(std::vector<std::unique_ptr<const Node>> nodes);
  std::vector<std::unique_ptr<const Node>> nodes_;
};

}  // namespace fairway::apiserver::table
