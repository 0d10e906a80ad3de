// SPDX-License-Identifier: Apache-2.0

// Errors of the spec of ClusterVersion, as its condition Invalid lists them.
#pragma once

#include <string>

#include "openshift/cluster_version.h"

namespace fairway::adm {

struct InvalidSpec {
  /// Errors of `spec.desiredUpdate`, for which the operator does not begin the update; joined by "; ". Empty:
  /// there are none.
  std::string of_request = {};
  /// True if there are errors of other fields. The operator ignores those fields, and begins the update.
  bool has_others = false;
};

/// Returns the errors; those of a message in other words than the operator's count as of other fields.
InvalidSpec invalid_spec(const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
