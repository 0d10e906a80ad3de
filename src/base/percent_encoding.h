// SPDX-License-Identifier: Apache-2.0

// Percent-encoding and query strings (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway {

/// Encodes every byte but the unreserved characters of RFC 3986, section 2.3, and those of `kept`.
std::string percent_encode(std::string_view text, std::string_view kept = {});
/// Decodes %XX (and nothing else). std::nullopt for a malformed escape.
std::optional<std::string> percent_decode(std::string_view text);

/// Key and value pairs of a query, decoded ("+" is a space), in order. A malformed escape is kept as sent.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace fairway
