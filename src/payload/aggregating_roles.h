// SPDX-License-Identifier: Apache-2.0

// ClusterRoles that take in the rules of others, by selectors of labels.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "k8s/label_selector.h"
#include "k8s/rbac_comparison.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// The ClusterRoles of a release that have an `aggregationRule`.
class AggregatingRoles {
 public:
  AggregatingRoles() = default;
  /// Reads the manifests that a cluster applies. Selectors that no API server accepts select nothing.
  explicit AggregatingRoles(const std::map<ObjectId, Manifest>& applied);

  /// Returns the names of those that take in the rules of a ClusterRole. std::nullopt: there are more
  /// selectors than `budget` allows to look at.
  std::optional<std::set<std::string>> find(const k8s::Dynamic& role, k8s::ComparisonBudget& budget) const;

 private:
  std::vector<std::pair<std::string, k8s::LabelSelector>> selectors_;  ///< role to one of its selectors
};

}  // namespace fairway::payload
