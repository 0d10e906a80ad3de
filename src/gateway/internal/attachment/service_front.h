// SPDX-License-Identifier: Apache-2.0

// In a cluster: the Service before the Envoys, whose addresses Gateways have that name none.
#pragma once

#include <vector>

#include "gateway/internal/model/pass_context.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// Rule for a Service that has no address yet: its Gateways wait for one, or count as having it.
enum class ServiceAddresses { have_to_be_there, count_as_assigned };

/// Finds the Services that parameters name. A Gateway of this controller that names no address is behind its
/// Service (`behind_services`), or there is a reason why not (`no_capacity`). Returns the other Gateways of
/// this controller, the oldest first.
std::vector<const k8s::Dynamic*> find_service_fronts(const Objects& objects, ServiceAddresses addresses,
                                                     PassContext& context);

}  // namespace fairway::gateway
