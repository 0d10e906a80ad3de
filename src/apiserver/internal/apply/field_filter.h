// SPDX-License-Identifier: Apache-2.0

// A filter for the fields that a request may own: not those that a strategy resets.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apiserver/internal/apply/field_set.h"

namespace fairway::apiserver::apply {

/// Matches paths by what they begin with; steps may be wildcards.
class PathPattern {
 public:
  /// Matches every path.
  PathPattern() : everything_(true) {}
  /// Matches the paths that begin with these steps; std::nullopt is any step. No steps: every path.
  static PathPattern prefix(const std::vector<std::optional<PathElement>>& steps);
  /// Returns a pattern for the paths that either of both matches.
  PathPattern merged(const PathPattern& other) const;
  /// Returns the paths of a set that match.
  FieldSet filter(const FieldSet& set) const;

 private:
  struct Step;
  bool everything_ = false;
  /// The first steps; wildcards come before all others.
  std::vector<std::shared_ptr<const Step>> steps_;
};

/// Leaves fields out of sets. Rules: sigs.k8s.io/structured-merge-diff/v6/fieldpath, Filter.
class FieldFilter {
 public:
  /// Makes a filter that removes these paths and all that is below them.
  static FieldFilter exclude(FieldSet fields) { return FieldFilter(std::move(fields)); }
  /// Makes a filter that keeps the paths that match.
  static FieldFilter include(PathPattern pattern) { return FieldFilter(std::move(pattern)); }

  FieldSet filter(const FieldSet& set) const;

 private:
  explicit FieldFilter(std::variant<FieldSet, PathPattern> rule) : rule_(std::move(rule)) {}
  std::variant<FieldSet, PathPattern> rule_;
};

/// Filters by apiVersion.
using FieldFilters = std::map<std::string, FieldFilter, std::less<>>;

}  // namespace fairway::apiserver::apply
