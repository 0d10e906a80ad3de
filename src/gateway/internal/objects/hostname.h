// SPDX-License-Identifier: Apache-2.0

// Hostnames of listeners and routes: exact, wildcards ("*.example.com"), and none, which is every name.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::gateway {

/// Returns whether a text is a DNS name in lower case as Gateway API accepts it, and not an IP address. With
/// `wildcard` its first label may be `*`.
bool is_hostname(std::string_view text, bool wildcard);

/// Returns whether `pattern` matches every name that `hostname` matches. A wildcard stands for one or more
/// labels: "*.example.com" covers "a.b.example.com" and "*.b.example.com", but not "example.com".
bool covers(std::string_view pattern, std::string_view hostname);

/// Returns the names that both match, which are those of the narrower one; std::nullopt: there are none.
std::optional<std::string> intersection(std::string_view a, std::string_view b);

/// Returns the hostnames for which a route is served on a listener: each of the route's hostnames that
/// overlaps with the listener's, narrowed to the names in common. Empty: there are none, and the route is not
/// served. A route without hostnames is served for the listener's.
std::vector<std::string> served_hostnames(std::string_view listener, const std::vector<std::string>& route);

/// Returns whether `a` is more specific than `b`: names before wildcards, the longer before the shorter, no
/// hostname last. This is the precedence of routes whose hostnames intersect (HTTPRouteSpec.hostnames).
bool is_narrower(std::string_view a, std::string_view b);

/// Returns the names of `served_hostnames` that the listener has narrowed, each with the narrowest hostname
/// of the route that it was made of; "": the route has no hostnames.
std::map<std::string, std::string, std::less<>> narrowed_hostnames(std::string_view listener,
                                                                   const std::vector<std::string>& route);

}  // namespace fairway::gateway
