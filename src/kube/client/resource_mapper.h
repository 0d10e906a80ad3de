// SPDX-License-Identifier: Apache-2.0

// Maps kinds and names of resources to what a server serves.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include "base/timed_condition.h"
#include "k8s/api_resource.h"
#include "kube/client/discovery.h"

namespace fairway::kube {

struct ResourceMapperOptions {
  /// Minimum time between two discoveries for lookups that miss, whether the server answers or not.
  std::chrono::nanoseconds refresh_every = std::chrono::seconds(5);
  /// Timeout of one discovery.
  std::chrono::nanoseconds refresh_timeout = std::chrono::seconds(30);
  DiscoveryOptions discovery = {};
};

/// Finds the resource of a kind, like client-go's deferred RESTMapper. Safe from all threads; uses the
/// client's clock. One per process is enough (`Manager::mapper`).
///
/// The first lookup discovers what the server serves, and the result is kept. A lookup that finds nothing,
/// several resources, or only a stale version, starts another discovery; concurrent lookups share it. Within
/// `refresh_every` of the last discovery there is no other one: "not served" may be as old as that (see
/// `wait_for`).
///
/// Errors of all lookups:
/// - `not_found`: the server answered, and does not serve it.
/// - `unavailable`: it may serve it, but the group's server (APIService) is unavailable. Kinds of other
///   groups are found nevertheless, and so are kinds of this group that were known before.
/// - `conflict`: several resources fit; the message names them.
/// - Any other error, and also `unavailable`: the server could not be asked, or no thread could be started to
///   ask it. Resources that were known before are still found.
class ResourceMapper {
 public:
  explicit ResourceMapper(std::shared_ptr<Client> client, ResourceMapperOptions options = {});
  /// Ends a discovery in flight. No lookup may be in flight.
  ~ResourceMapper();
  ResourceMapper(const ResourceMapper&) = delete;
  ResourceMapper& operator=(const ResourceMapper&) = delete;

  Result<k8s::ApiResource> find(const k8s::GroupVersionKind& kind, const Limits& limits = {});
  /// Finds the kind in the server's preferred version, or in the next one that has it.
  Result<k8s::ApiResource> find(const k8s::GroupKind& kind, const Limits& limits = {});
  /// Finds a resource by a name as kubectl takes it, in any case: a plural, a singular, a short name or a
  /// kind, alone or with ".GROUP" or ".VERSION.GROUP": "deployments", "deploy.apps", "deployments.v1.apps";
  /// "pods.v1." for the core group. Unlike kubectl, a name that fits in several groups (events) is a
  /// `conflict`. `invalid`: the text is not such a name.
  Result<k8s::ApiResource> find_by_name(std::string_view name, const Limits& limits = {});
  /// Waits until the server serves the kind: its CRD may have just been created. Without a deadline it waits
  /// until stopped. `deadline_exceeded` and `cancelled` say what was still missing.
  Result<k8s::ApiResource> wait_for(const k8s::GroupVersionKind& kind, const Limits& limits);

  /// Discovers now, regardless of `refresh_every`. An error leaves the known resources.
  Result<void> refresh(const Limits& limits = {});
  /// Marks the known resources as outdated: one of them was answered with 404. The next lookup starts a
  /// discovery, as after a miss; a discovery that had started before this call is not enough.
  void mark_outdated();
  /// Returns the result of the last successful discovery; nullptr before the first.
  std::shared_ptr<const ServedResources> known() const;

 private:
  using Lookup = std::function<Result<k8s::ApiResource>(const ServedResources& served)>;

  Result<k8s::ApiResource> look_up(const Lookup& lookup, const Limits& limits);
  Result<void> wait_for_reading(std::unique_lock<std::mutex>& lock, std::uint64_t wanted,
                                const Limits& limits);
  bool may_begin() const;
  bool outdated() const;
  void begin();
  void read(const std::stop_token& stop);

  const std::shared_ptr<Client> client_;
  const ResourceMapperOptions options_;
  Clock& clock_;
  mutable std::mutex mutex_;
  TimedCondition changed_;
  std::shared_ptr<const ServedResources> cache_;
  std::uint64_t cached_from_ = 0;  ///< number of the discovery that `cache_` is from, counted from 1
  std::uint64_t needed_ = 0;       ///< `cache_` from an earlier discovery than this one is outdated
  bool reading_ = false;
  std::uint64_t ended_ = 0;          ///< number of discoveries that have ended
  std::optional<Error> failure_;     ///< error of the last discovery
  std::optional<SteadyTime> begun_;  ///< start of the last discovery
  std::jthread reader_;              ///< the last member: it uses the others
};

}  // namespace fairway::kube
