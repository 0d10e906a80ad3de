// SPDX-License-Identifier: Apache-2.0

// Comparison of two requests for an update by what they mean to the operator.
#pragma once

#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns whether `now` asks for what `before` asked for: the members of `spec.desiredUpdate` have the same
/// meaning, where an absent one means what "", false or [] does. An image that only one of the requests
/// names is the same if ReleaseAccepted of `before` has it, with the version, for the image that was found.
bool is_same_request(const openshift::ClusterVersion& before, const openshift::ClusterVersion& now);

}  // namespace fairway::adm
