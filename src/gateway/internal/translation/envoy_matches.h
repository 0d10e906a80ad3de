// What requests a rule is for, as Envoy's matches.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>

#include "base/json.h"
#include "gateway/internal/objects/api.h"
#include "k8s/view.h"

namespace fairway::gateway {

/// Which of two matches is asked first: the greater. The API's order: exact paths, longer prefixes, a method,
/// more headers, more parameters; of gRPC longer services, longer methods, more headers. Then age and name of
/// the route, and the order of its rules.
struct MatchPrecedence {
  int path_kind = 0;
  std::size_t path_length = 0;
  /// Of HTTP: 1 where there is one.
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

/// A route with its match alone; `match` is one of an HTTPRoute's or a GRPCRoute's.
EnvoyRoute matched(RouteKind kind, const k8s::View& match);

/// The prefix without a slash at its end, which means the same.
std::string_view plain_prefix(std::string_view path);

}  // namespace fairway::gateway
