// SPDX-License-Identifier: Apache-2.0

// The status of ResourceQuotas: what they allow, and what is used of it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/quota/amount.h"
#include "base/clock.h"

namespace fairway::apiserver::controllers {

/// Writes `status.hard` and `status.used` of ResourceQuotas that are new or changed, and counts anew after
/// objects have gone, when other resources are served, and every five minutes of the server's clock. What
/// comes is charged by the write itself. Used by one thread.
/// Rules: k8s.io/kubernetes/pkg/controller/resourcequota.
class QuotaStatus {
 public:
  explicit QuotaStatus(objects::Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Works on what is due. Returns false if some of it failed and has to be retried.
  bool work(const std::stop_token& stop);

 private:
  /// Has all quotas counted anew where the time has come, or other resources are served.
  void begin_anew();
  /// Returns whether nobody has counted what a quota limits.
  bool lacks_count(const k8s::View& quota) const;
  /// Puts the limits of a namespace's quotas in force, as far as their usage is known.
  void take_limits(const std::string& namespace_name);
  /// Counts the usage of a namespace's quotas.
  bool settle(const std::string& namespace_name, const std::stop_token& stop);
  /// Returns the usage of a quota; std::nullopt if it could not be counted, or not until `stop`.
  std::optional<quota::Amounts> count(const k8s::Dynamic& quota, const std::stop_token& stop);
  bool write_status(const storage::Record& quota, const json::Value& hard, const json::Value* used);

  objects::Objects& objects_;
  /// Namespaces that have quotas, and those of them that are due.
  std::set<std::string> limited_, due_;
  /// The generation of the registry, and the time, when all quotas were counted last.
  std::uint64_t generation_ = 0;
  WallTime counted_{};
};

}  // namespace fairway::apiserver::controllers
