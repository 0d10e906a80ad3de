// Rules of HTTPRoutes as Envoy's routes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "gateway/internal/routes.h"

namespace fairway::gateway {

/// Which of two matches is asked first: the greater. The API's order: exact paths, longer prefixes, a method,
/// more headers, more parameters; then age and name of the route, and the order of its rules.
struct MatchPrecedence {
  int path_kind = 0;
  std::size_t path_length = 0;
  bool has_method = false;
  std::size_t headers = 0, parameters = 0;
  friend auto operator<=>(const MatchPrecedence&, const MatchPrecedence&) = default;
};

struct EnvoyRoute {
  MatchPrecedence precedence;
  json::Object route;
};

/// The routes of an HTTPRoute, one for each match, in the order of its rules; dropped rules have none.
/// `scheme` and `port` are those of the listener, for redirects.
std::vector<EnvoyRoute> envoy_routes(const Objects& objects, const RouteState& route, std::string_view scheme,
                                     std::int64_t port, std::map<std::string, json::Object>& clusters);

}  // namespace fairway::gateway
