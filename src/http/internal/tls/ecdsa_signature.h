// SPDX-License-Identifier: Apache-2.0

// The two forms of an ECDSA signature: r and s behind each other (RFC 7518, 3.4), and OpenSSL's DER.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::http {

/// Returns r and s, `number_size` bytes each, of a signature in DER. std::nullopt if it is none.
std::optional<std::string> ecdsa_numbers(std::string_view der, std::size_t number_size);

/// Returns the DER of r and s, `number_size` bytes each. std::nullopt if `numbers` has another length.
std::optional<std::string> ecdsa_der(std::string_view numbers, std::size_t number_size);

}  // namespace fairway::http
