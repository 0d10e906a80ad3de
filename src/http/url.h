// SPDX-License-Identifier: Apache-2.0

// URLs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/percent_encoding.h"
#include "base/result.h"

namespace fairway::http {

/// An absolute URL, split. `host` has no brackets; `port` is the scheme's default if none was given.
struct Url {
  std::string scheme = {};    ///< lower case: "https"
  std::string userinfo = {};  ///< decoded "user:password", or ""
  std::string host = {};
  std::uint16_t port = 0;
  std::string path = "/";  ///< still encoded, begins with "/"
  std::string query = {};  ///< still encoded, without "?"
  std::string fragment = {};

  static Result<Url> parse(std::string_view text);
  /// The whole URL; the default port and the password are omitted.
  std::string to_string() const;
  /// "host" or "host:port" for the Host header; IPv6 in brackets.
  std::string authority() const;
  /// "/path?query".
  std::string target() const;
};

/// Resolves a Location header against the URL of the request.
Result<Url> resolve(const Url& base, std::string_view reference);

/// Returns an encoded path as client-go asks for it: decoded, without empty steps, "." and "..", without a
/// slash at its end (Go's `path.Join("/", path)`), and encoded again.
std::string clean_path(std::string_view path);

using fairway::parse_query;
using fairway::percent_decode;
using fairway::percent_encode;

}  // namespace fairway::http
