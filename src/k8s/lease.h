// A Lease: who leads, and until when.
#pragma once

#include <chrono>
#include <string_view>

#include "k8s/micro_time.h"
#include "k8s/object.h"

namespace fairway::k8s {

/// The times in it are those of its holder's clock, and are never compared with another's: facts: kubernetes,
/// Leader election.
class Lease : public Dynamic {
 public:
  static constexpr Resource resource{"coordination.k8s.io", "v1", "Lease", "leases"};
  using Dynamic::Dynamic;

  /// Empty: nobody holds it.
  std::string_view holder() const { return text("spec.holderIdentity"); }
  void set_holder(std::string_view holder) { set("spec.holderIdentity", holder); }
  std::chrono::seconds duration() const { return std::chrono::seconds(integer("spec.leaseDurationSeconds")); }
  void set_duration(std::chrono::seconds duration) {
    set("spec.leaseDurationSeconds", static_cast<std::int64_t>(duration.count()));
  }
  std::string_view acquire_time() const { return text("spec.acquireTime"); }
  void set_acquire_time(WallTime time) { set("spec.acquireTime", format_micro_time(time)); }
  std::string_view renew_time() const { return text("spec.renewTime"); }
  void set_renew_time(WallTime time) { set("spec.renewTime", format_micro_time(time)); }
  /// How often it went from one holder to another.
  std::int64_t transitions() const { return integer("spec.leaseTransitions"); }
  void set_transitions(std::int64_t count) { set("spec.leaseTransitions", count); }
};

}  // namespace fairway::k8s
