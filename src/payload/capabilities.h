// SPDX-License-Identifier: Apache-2.0

// Capabilities: optional parts of a platform, which a cluster may leave out when it is installed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "k8s/view.h"
#include "payload/manifest.h"
#include "payload/selection.h"

namespace fairway::payload {

/// Names, sorted.
using CapabilityNames = std::set<std::string>;

/// The capabilities of a cluster. What is enabled is never disabled again.
struct Capabilities {
  CapabilityNames known;
  CapabilityNames enabled;
  /// Capabilities that are enabled although `spec.capabilities` asks for them no more, or never did.
  CapabilityNames implicit;

  /// Returns `status.capabilities`. Names that OpenShift's API does not have are left out, because an API
  /// server would refuse the status.
  json::Object to_status() const;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

/// Returns the capabilities of a cluster. `spec` is `spec.capabilities`: the baseline set (`vCurrent` without
/// one) and additional ones. `before`: those that were enabled before. `in_release`: those that manifests of
/// the release name (`capability_names`); the API's own are known beside them, and others belong to
/// `vCurrent` alone. Some are known only with a feature gate. A set that is newer than those known here
/// counts as the newest of them that is older; any other unknown set counts as `None`.
Capabilities capabilities_of(const k8s::View& spec, const CapabilityNames& before,
                             const CapabilityNames& in_release, const std::set<std::string>& feature_gates);

/// Returns the capabilities that manifests name (`capability.openshift.io/name: A+B`). What is empty or has
/// blanks around it is none.
CapabilityNames capability_names(const std::vector<Manifest>& manifests);

/// Returns the capabilities that an update must enable, so that no object which the running release has
/// applied is given up: those that manifests of the next release need for such an object, and that are not
/// enabled. `selection` is that of the running release, with its capabilities; `next_major` is the
/// major version of the next one.
CapabilityNames kept_by_update(const std::vector<Manifest>& running, const std::vector<Manifest>& next,
                               const Selection& selection, std::optional<std::uint64_t> next_major);

}  // namespace fairway::payload
