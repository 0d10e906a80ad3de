// URLs, percent-encoding and query strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace fairway::http {

/// An absolute URL, split. `host` has no brackets; `port` is the scheme's default where none was given.
struct Url {
  std::string scheme;    ///< lower case: "https"
  std::string userinfo;  ///< decoded "user:password", or ""
  std::string host;
  std::uint16_t port = 0;
  std::string path = "/";  ///< still encoded, begins with "/"
  std::string query;       ///< still encoded, without "?"
  std::string fragment;

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

std::string percent_encode(std::string_view text);
/// Decodes %XX (and nothing else). std::nullopt for a malformed escape.
std::optional<std::string> percent_decode(std::string_view text);

/// Key and value pairs of a query, decoded ("+" is a space), in order. A malformed escape is kept as
/// sent.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

}  // namespace fairway::http
