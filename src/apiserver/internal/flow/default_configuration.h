// SPDX-License-Identifier: Apache-2.0

// The FlowSchemas and PriorityLevelConfigurations that every cluster has.
#pragma once

#include <optional>
#include <vector>

#include "apiserver/internal/storage/default_objects.h"
#include "base/clock.h"
#include "k8s/object.h"

namespace fairway::apiserver::flow {

/// Returns what kube-apiserver 1.37 creates at its start. The FlowSchemas have the condition that
/// `write_dangling` gives them.
std::vector<storage::DefaultObject> default_configuration(WallTime now);

/// Returns a stored object with the `spec` that the server wants; std::nullopt: it is so, or it is somebody
/// else's to say. The objects that must be there (`exempt` and `catch-all`) always have the server's; others
/// have it unless the annotation `apf.kubernetes.io/autoupdate-spec` is "false", or absent and the object was
/// changed. Rule: kube-apiserver's flow control, "Maintenance of the Mandatory and Suggested Configuration
/// Objects".
std::optional<k8s::Dynamic> revised(const k8s::Dynamic& stored, const k8s::Dynamic& wanted);

/// Gives a FlowSchema the condition `Dangling`: whether its priority level is missing. Returns whether that
/// has changed the object.
bool write_dangling(k8s::Dynamic& schema, bool level_exists, WallTime now);

}  // namespace fairway::apiserver::flow
