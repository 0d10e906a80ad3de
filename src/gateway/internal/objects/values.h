// Values of matches and filters that Envoy takes as they are.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::gateway {

/// A name of an HTTP header (RFC 9110, token).
bool is_header_name(std::string_view text);
/// A value of an HTTP header: no control character but the tab (RFC 9110, field-value).
bool is_header_value(std::string_view text);
/// A value of a header as Envoy's formatter has to be given it, which reads % as the beginning of a command.
std::string literal(std::string_view value);
/// A path to match exactly or by prefix, as the API's schema defines it.
bool is_path(std::string_view text);
/// A path that a redirect or a rewrite writes: begins with "/", or is empty; no control characters, spaces,
/// queries or fragments.
bool is_replacement_path(std::string_view text);
/// An IP address as the machine writes it, so that two spellings of one are the same text, also where one of
/// IPv4 is written as one of IPv6 (::ffff:192.0.2.1); what is none stays as it is.
std::string canonical_address(const std::string& text);
/// GEP-2257: "1h30m", "250ms". std::nullopt for any other text.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

}  // namespace fairway::gateway
