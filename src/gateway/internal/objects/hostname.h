// Hostnames of listeners and routes: exact, wildcards ("*.example.com"), and none, which is every name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::gateway {

/// Returns whether a text is a DNS name in lower case as Gateway API takes it, no IP address; with `wildcard`
/// also one whose first label is `*`.
bool is_hostname(std::string_view text, bool wildcard);

/// Returns whether `pattern` stands for every name that `hostname` stands for. A wildcard stands for any
/// number of labels, at least one: "*.example.com" covers "a.b.example.com" and "*.b.example.com", not
/// "example.com".
bool covers(std::string_view pattern, std::string_view hostname);

/// The names that both stand for: the narrower of the two; std::nullopt if there is none.
std::optional<std::string> intersection(std::string_view a, std::string_view b);

/// The hostnames for which a route is served on a listener: each of the route's that the listener's has names
/// in common with, narrowed to those. Empty: none, the route does not fit. A route without hostnames is
/// served for the listener's.
std::vector<std::string> served_hostnames(std::string_view listener, const std::vector<std::string>& route);

}  // namespace fairway::gateway
