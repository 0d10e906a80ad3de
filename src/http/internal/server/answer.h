// SPDX-License-Identifier: Apache-2.0

// The answer to a whole request, whichever version of HTTP it came by.
#pragma once

#include <string>
#include <string_view>

#include "http/flow.h"
#include "http/internal/server/rate_limit.h"
#include "http/internal/server/router.h"
#include "http/message.h"

namespace fairway::http {

struct ServerState;

/// A response that is there at once, or the route whose handler makes one in the pool.
struct Answer {
  const RouteTable::Route* blocking = nullptr;
  Response response = {};
  bool refused = false;  ///< the server itself rejects the request
};

/// Answers a request: runs immediate handlers. `body_refused`: its body was not received, because no handler
/// takes one.
Answer answer_to(const ServerState& state, const Request& request, const AddressKey& address, SteadyTime now,
                 bool body_refused);

/// Returns the response of a handler. An exception of a handler must not end the server.
Response run_handler(const RouteTable& routes, const Handler& handler, const Request& request);

/// Returns the reply to a request that the server itself rejects, with a field of its own if it has a name.
Response make_refusal(const RouteTable& routes, int status, std::string_view why, std::string_view field = {},
                      std::string value = {});

/// Returns the flow in which a request waits: one of the last level, if choosing it throws.
Flow flow_of(const RouteTable& routes, const Request& request);

/// Returns whether the server writes this field itself.
bool is_ours(std::string_view name);

}  // namespace fairway::http
