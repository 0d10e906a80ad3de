// SPDX-License-Identifier: Apache-2.0

// IPv4 addresses as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairway {

/// Returns an address in host order; std::nullopt if the text is none.
std::optional<std::uint32_t> parse_ipv4(std::string_view text);
/// Returns the text of an address in host order.
std::string ipv4_text(std::uint32_t address);

}  // namespace fairway
