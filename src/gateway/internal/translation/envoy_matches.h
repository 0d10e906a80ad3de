// SPDX-License-Identifier: Apache-2.0

// The matches of a rule, as Envoy's route matches.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

#include "base/json.h"
#include "gateway/internal/objects/api.h"
#include "k8s/view.h"

namespace fairway::gateway {

/// Order of matches: the greater one is tried first. The API's order: exact paths, longer prefixes, a method,
/// more headers, more parameters; for gRPC longer services, longer methods, more headers. Then age and name
/// of the route, and the order of its rules.
struct MatchPrecedence {
  int path_kind = 0;
  std::size_t path_length = 0;
  /// Length of the gRPC method; for HTTP, 1 if there is a method.
  std::size_t method_length = 0;
  std::size_t headers = 0, parameters = 0;
  friend auto operator<=>(const MatchPrecedence&, const MatchPrecedence&) = default;
};

struct EnvoyRoute {
  MatchPrecedence precedence;
  /// The number of its rule.
  std::size_t rule = 0;
  json::Object route;
};

/// Returns a route with its match only; `match` is one of an HTTPRoute or a GRPCRoute.
EnvoyRoute matched(RouteKind kind, const k8s::View& match);

/// Returns the prefix without a slash at its end, which means the same.
std::string_view plain_prefix(std::string_view path);

}  // namespace fairway::gateway
