// Base64 (RFC 4648), the standard alphabet with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairway {

std::string base64_encode(std::string_view bytes);
/// Line breaks are skipped, as in Go. Any other character outside padded base64 gives std::nullopt.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace fairway
