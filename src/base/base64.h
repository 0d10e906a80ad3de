// Base64 (RFC 4648), the standard alphabet with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairway {

std::string base64_encode(std::string_view bytes);
/// Line ends are skipped, as Go does; anything else that is not base64 with its padding gives nothing.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace fairway
