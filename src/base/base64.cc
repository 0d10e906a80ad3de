// SPDX-License-Identifier: Apache-2.0

#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fairway {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> values = [] {
  std::array<int, 256> table{};
  table.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<int>(i);
  }
  return table;
}();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int digits = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0 || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++digits % 4 != 0) continue;
    bytes += static_cast<char>(bits >> 16 & 255);
    bytes += static_cast<char>(bits >> 8 & 255);
    bytes += static_cast<char>(bits & 255);
    bits = 0;
  }
  const int left = digits % 4;
  if (left == 1 || padding != (left == 0 ? 0 : 4 - left)) return std::nullopt;
  if (left == 2) bytes += static_cast<char>(bits >> 4 & 255);
  if (left == 3) {
    bytes += static_cast<char>(bits >> 10 & 255);
    bytes += static_cast<char>(bits >> 2 & 255);
  }
  return bytes;
}

std::string base64url_encode(std::string_view bytes) {
  std::string text = base64_encode(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.resize(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> base64url_decode(std::string_view text) {
  if (text.find_first_of("+/=\r\n") != text.npos) return std::nullopt;
  std::string standard(text);
  std::ranges::replace(standard, '-', '+');
  std::ranges::replace(standard, '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  auto bytes = base64_decode(standard);
  if (bytes && base64url_encode(*bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace fairway
