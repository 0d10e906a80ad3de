// SPDX-License-Identifier: Apache-2.0

// Base64 (RFC 4648): the standard alphabet with padding, and the one for URLs without.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairway {

std::string base64_encode(std::string_view bytes);
/// Decodes padded base64. Line breaks are skipped, as in Go. Any other character outside of the alphabet
/// gives std::nullopt.
std::optional<std::string> base64_decode(std::string_view text);

/// Encodes in the alphabet for URLs and file names (section 5), without padding, as RFC 7515 asks for.
std::string base64url_encode(std::string_view bytes);
/// Decodes what `base64url_encode` makes. Any other text gives std::nullopt, padding, line breaks, and unused
/// bits of the last character that are not zero among them: there is one text for each value.
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace fairway
