// SPDX-License-Identifier: Apache-2.0

// Basic credentials (RFC 7617). They are secrets: no function here puts them into an error or a log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairway::http {

struct BasicCredentials {
  std::string username = {};  ///< without ":"
  std::string password = {};
};

/// The value of an Authorization header: "Basic dXNlcjpwYXNz". `userinfo` is "user:password", as `Url` has
/// it.
std::string basic_authorization(std::string_view userinfo);
std::string basic_authorization(std::string_view username, std::string_view password);

/// Reads what follows "Basic " in such a header, and the same text in other places: the base64 of
/// "user:password", whose padding may be missing. Nothing for anything else.
std::optional<BasicCredentials> decode_basic(std::string_view text);

}  // namespace fairway::http
