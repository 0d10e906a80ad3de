// Why a node is not available.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "k8s/object.h"

namespace fairway::adm {

/// What keeps pods from a node.
struct Availability {
  struct Fault {
    /// As the table of nodes says it, the insight's summary and its description.
    std::string reason, summary, description;
    std::optional<WallTime> since;
    /// How long it may last before an admin should know; absent: however long.
    std::optional<std::chrono::minutes> harmless_for;
  };
  bool available = true;
  std::vector<Fault> faults;

  /// One text of all faults, joined by " | ".
  std::string joined(std::string Fault::* text) const;
  /// Since when, at the earliest.
  std::optional<WallTime> since() const;
  /// Returns whether an admin should know about a fault.
  bool is_serious(WallTime now) const;
};

/// By the node's conditions and by the annotations of the machine config operator.
Availability assess_availability(const k8s::Dynamic& node);

/// Annotations of the machine config operator, behind "machineconfiguration.openshift.io/".
std::string_view machine_config_annotation(const k8s::Dynamic& object, std::string_view name);

}  // namespace fairway::adm
