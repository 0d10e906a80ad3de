// SPDX-License-Identifier: Apache-2.0

// Values of matches and filters that Envoy takes as they are.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "k8s/view.h"

namespace fairway::gateway {

/// Returns whether a text is the name of an HTTP header (RFC 9110, token).
bool is_header_name(std::string_view text);
/// Returns whether a text is the value of an HTTP header: no control character but the tab (RFC 9110,
/// field-value).
bool is_header_value(std::string_view text);
/// Returns a header's value with each % doubled: Envoy's formatter reads % as the beginning of a command.
std::string literal(std::string_view value);
/// Returns whether a text is a path to match exactly or by prefix, as the API's schema defines it.
bool is_path(std::string_view text);
/// Returns whether a text is a path that a redirect or a rewrite may write: it begins with "/", or is empty,
/// and has no control characters, spaces, queries or fragments.
bool is_replacement_path(std::string_view text);
/// Returns an IP address in its canonical form, so that two notations of one address are the same text, also
/// if an IPv4 address is written as IPv6 (::ffff:192.0.2.1). Text that is not an address is returned
/// unchanged.
std::string canonical_address(const std::string& text);
/// Returns the names of a map of options, in quotes, with commas between them. This controller knows none.
std::string option_names(const k8s::View& options);
/// Reads a duration as in GEP-2257: "1h30m", "250ms". std::nullopt: it is none.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

}  // namespace fairway::gateway
