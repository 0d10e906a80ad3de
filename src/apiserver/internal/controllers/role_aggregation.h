// The rules of ClusterRoles that are made of others.
#pragma once

#include <string>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver {

/// As kube-controller-manager's clusterrole-aggregation-controller: a ClusterRole with an `aggregationRule`
/// has the rules of all that its selectors match. Used by one thread.
class RoleAggregation {
 public:
  explicit RoleAggregation(Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// As `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// False where some of it failed, and has to be tried again.
  bool work();

 private:
  /// Returns whether the rules of `name` are `rules` now.
  bool write(const std::string& name, const json::Array& rules);

  Objects& objects_;
  bool due_ = false;
};

}  // namespace fairway::apiserver
