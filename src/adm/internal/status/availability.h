// SPDX-License-Identifier: Apache-2.0

// The availability of a node: reasons why it is not available.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "k8s/object.h"

namespace fairway::adm {

/// Availability of a node for pods.
struct Availability {
  struct Fault {
    /// Text for the table of nodes, and the insight's summary and description.
    std::string reason, summary, description;
    std::optional<WallTime> since;
    /// Time for which the fault is not reported to an admin; absent: it is never reported.
    std::optional<std::chrono::minutes> harmless_for;
  };
  bool available = true;
  std::vector<Fault> faults;

  /// Returns one text of all faults, joined by " | ".
  std::string joined(std::string Fault::* text) const;
  /// Returns the earliest time since which there has been a fault.
  std::optional<WallTime> since() const;
  /// Returns whether an admin should know about a fault.
  bool is_serious(WallTime now) const;
};

/// Assesses a node by its conditions and by the annotations of the machine config operator.
Availability assess_availability(const k8s::Dynamic& node);

/// Returns the annotation of the machine config operator with this name after
/// "machineconfiguration.openshift.io/".
std::string_view machine_config_annotation(const k8s::Dynamic& object, std::string_view name);

}  // namespace fairway::adm
