// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/values.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/address_range.h"
#include "base/text.h"

namespace fairway::gateway {

namespace {

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

bool is_header_name(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && text.size() <= 256 && std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return is_control(c) && c != '\t'; });
}

std::string literal(std::string_view value) {
  std::string out;
  for (const char c : value) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

bool is_path(std::string_view text) {
  constexpr std::string_view others = "-/._~!$&'()*+,;=:@";
  if (!text.starts_with('/') || text.size() > 1024) return false;
  for (const std::string_view never : {"//", "/./", "/../", "%2f", "%2F", "#"}) {
    if (text.find(never) != std::string_view::npos) return false;
  }
  if (text.ends_with("/..") || text.ends_with("/.")) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const auto is_digit = [&](std::size_t at) {
        return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0;
      };
      if (!is_digit(i + 1) || !is_digit(i + 2)) return false;
    } else if (!is_alphanumeric(text[i]) && others.find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_replacement_path(std::string_view text) {
  return text.size() <= 1024 && (text.empty() || text.starts_with('/')) &&
         std::ranges::none_of(text, [](char c) { return is_control(c) || c == ' ' || c == '?' || c == '#'; });
}

std::string canonical_address(const std::string& text) {
  const auto bytes = address_bytes(text);
  if (!bytes) return text;
  // An address of IPv4 has its own form, whether or not it was written as one of IPv6.
  static const AddressRange four = *AddressRange::parse("0.0.0.0/0");
  const bool is_four = four.contains(*bytes);
  std::array<char, INET6_ADDRSTRLEN> written{};
  const void* begin = bytes->data() + (is_four ? bytes->size() - sizeof(in_addr) : 0);
  return ::inet_ntop(is_four ? AF_INET : AF_INET6, begin, written.data(), written.size()) != nullptr
             ? written.data()
             : text;
}

std::string option_names(const k8s::View& options) {
  std::string names;
  for (const auto& [name, value] : options.json())
    names += (names.empty() ? "\"" : ", \"") + printable(name) + "\"";
  return names;
}

std::optional<std::chrono::milliseconds> read_duration(std::string_view text) {
  std::chrono::milliseconds sum{0};
  int parts = 0;
  while (!text.empty()) {
    std::size_t digits = 0;
    std::int64_t number = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
      if (digits == 5) return std::nullopt;
      number = number * 10 + (text[digits++] - '0');
    }
    text.remove_prefix(digits);
    std::int64_t unit = 0;
    if (text.starts_with("ms")) {
      unit = 1;
    } else if (text.starts_with('s')) {
      unit = 1000;
    } else if (text.starts_with('m')) {
      unit = 60'000;
    } else if (text.starts_with('h')) {
      unit = 3'600'000;
    }
    if (digits == 0 || unit == 0 || ++parts > 4) return std::nullopt;
    text.remove_prefix(unit == 1 ? 2 : 1);
    sum += std::chrono::milliseconds(number * unit);
  }
  if (parts == 0) return std::nullopt;
  return sum;
}

}  // namespace fairway::gateway
