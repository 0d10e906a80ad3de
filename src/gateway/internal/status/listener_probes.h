// SPDX-License-Identifier: Apache-2.0

// The probes of a listener.
#pragma once

#include <cstdint>
#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/listener.h"
#include "gateway/internal/model/probe.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/translation/served.h"

namespace fairway::gateway {

/// Returns the probes that show whether a listener is ready: one for each address.
std::vector<Probe> probes_of(const Objects& objects, const GatewayState& gateway, const Listener& listener,
                             const Served& served, std::uint64_t session);

}  // namespace fairway::gateway
