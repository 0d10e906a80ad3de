// SPDX-License-Identifier: Apache-2.0

// Leases, for leader election.
#pragma once

#include <chrono>
#include <string_view>

#include "k8s/internal/kinds/openapi_coordination.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

/// A Lease. Its times are those of the holder's clock, and are never compared with another clock, as in
/// client-go's leader election.
class Lease : public Checked<Dynamic, openapi::lease> {
 public:
  static constexpr Resource resource{"coordination.k8s.io", "v1", "Lease", "leases"};
  using Checked::Checked;

  /// Returns the holder; empty: none.
  std::string_view holder() const { return text("spec.holderIdentity"); }
  void set_holder(std::string_view holder) { set("spec.holderIdentity", holder); }
  std::chrono::seconds duration() const { return std::chrono::seconds(integer("spec.leaseDurationSeconds")); }
  void set_duration(std::chrono::seconds duration) { set("spec.leaseDurationSeconds", duration.count()); }
  std::string_view acquire_time() const { return time_text("spec.acquireTime"); }
  void set_acquire_time(WallTime time) { set_micro_time("spec.acquireTime", time); }
  std::string_view renew_time() const { return time_text("spec.renewTime"); }
  void set_renew_time(WallTime time) { set_micro_time("spec.renewTime", time); }
  /// `leaseTransitions`: number of changes of the holder.
  std::int64_t transitions() const { return integer("spec.leaseTransitions"); }
  void set_transitions(std::int64_t count) { set("spec.leaseTransitions", count); }
};

}  // namespace fairway::k8s
