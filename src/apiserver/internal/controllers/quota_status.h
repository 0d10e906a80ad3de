// SPDX-License-Identifier: Apache-2.0

// The status of ResourceQuotas: what they allow, and what is used of it.
#pragma once

#include <set>
#include <string>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::controllers {

/// Writes `status.hard` and `status.used` of ResourceQuotas that are new or changed, and counts anew after
/// objects have gone. What comes is charged by the write itself. Used by one thread.
/// Rules: k8s.io/kubernetes/pkg/controller/resourcequota.
class QuotaStatus {
 public:
  explicit QuotaStatus(objects::Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Works on what is due. Returns false if some of it failed and has to be retried.
  bool work();

 private:
  /// Counts the usage of a namespace's quotas.
  bool settle(const std::string& namespace_name);
  /// Returns a quota with its status as of now.
  k8s::StatusResult<k8s::Dynamic> counted(const k8s::Dynamic& quota);

  objects::Objects& objects_;
  /// Namespaces that have quotas, and those of them that are due.
  std::set<std::string> limited_, due_;
};

}  // namespace fairway::apiserver::controllers
