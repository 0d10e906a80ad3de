// SPDX-License-Identifier: Apache-2.0

// The rules of ClusterRoles that are made of others.
#pragma once

#include <string>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::controllers {

/// Gives a ClusterRole with an `aggregationRule` the rules of all that its selectors match, as
/// kube-controller-manager's clusterrole-aggregation-controller. Used by one thread.
class RoleAggregation {
 public:
  explicit RoleAggregation(objects::Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Works on what is due. Returns false if some of it failed and has to be retried.
  bool work();

 private:
  /// Writes the rules of a role. Returns whether the rules of `name` are `rules` now.
  bool write(const std::string& name, const json::Array& rules);

  objects::Objects& objects_;
  bool due_ = false;
};

}  // namespace fairway::apiserver::controllers
