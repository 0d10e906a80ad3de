// SPDX-License-Identifier: Apache-2.0

// The levels of requests, and the flows that take turns in each.
#pragma once

#include <cstddef>
#include <vector>

#include "apiserver/internal/access/request_info.h"
#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/access/user.h"
#include "apiserver/internal/flow/caller.h"
#include "apiserver/request_limits.h"
#include "http/flow.h"
#include "http/message.h"

namespace fairway::apiserver::flow {

/// Returns the levels of a server, the most urgent first: health, leases, system, workload.
std::vector<http::FlowLevel> levels_of(const RequestLimits& limits);

/// Returns the level and the flow of a request. Requests for health and version have the first level. Those
/// about one Lease and a node's about its own status are of `leases`, those of system:masters of `system`,
/// all others of `workload`; flows are users. An unknown user has the flow of their address, and so has one
/// with a new token: verifying its signature takes too long here. The context is the `access::RequestInfo` of
/// a known user's request with a short query; others are read by their handler. `tokens` may be null.
http::Flow flow_of(const http::Request& request, const access::Tokens* tokens);

/// Returns the part of the reserve of waiting requests that a request may use. A dry run keeps nothing alive.
Privilege privilege_of(const access::RequestInfo& info, const access::User& user);

}  // namespace fairway::apiserver::flow
