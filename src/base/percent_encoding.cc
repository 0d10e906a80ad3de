// SPDX-License-Identifier: Apache-2.0

#include "base/percent_encoding.h"

#include <algorithm>

#include "base/hex.h"
#include "base/text.h"

namespace fairway {

namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

void append_escaped(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += hex_digits[byte >> 4];
  out += hex_digits[byte & 15];
}

}  // namespace

std::string percent_encode(std::string_view text, std::string_view kept) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    // RFC 3986, section 2.3: unreserved characters stay.
    const bool unreserved = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved || kept.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      append_escaped(encoded, c);
    }
  }
  return encoded;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  const auto decode = [](std::string_view text) {
    std::string spaced(text);
    std::ranges::replace(spaced, '+', ' ');
    if (auto decoded = percent_decode(spaced)) return std::move(*decoded);
    return std::string(text);
  };
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string_view part : split(query, '&')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) {
      pairs.emplace_back(decode(part), "");
    } else {
      pairs.emplace_back(decode(part.substr(0, equals)), decode(part.substr(equals + 1)));
    }
  }
  return pairs;
}

}  // namespace fairway
