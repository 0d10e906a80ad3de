// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads a number up to `most`, with zeros in front; `has_zeros` is set if there are any.
std::optional<std::size_t> small_number(std::string_view text, std::size_t most, bool& has_zeros) {
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') has_zeros = true;
  std::size_t made = 0;
  for (const char c : text) {
    made = made * 10 + static_cast<std::size_t>(c - '0');
    if (made > most) return std::nullopt;
  }
  return made;
}

std::optional<IpAddress> parse_ipv4(std::string_view text) {
  constexpr std::size_t most = 255;
  IpAddress made;
  const auto parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = small_number(parts[i], most, made.has_zeros);
    if (!number) return std::nullopt;
    made.bytes[i] = static_cast<std::uint8_t>(*number);
  }
  return made;
}

bool bit_of(const IpAddress& address, std::size_t index) {
  return (address.bytes[index / 8] >> (7 - index % 8) & 1) != 0;
}

bool same_prefix(const IpAddress& a, const IpAddress& b, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    if (bit_of(a, i) != bit_of(b, i)) return false;
  }
  return true;
}

/// Returns the address of IPv4 for which one of IPv6 stands; others as they are.
IpAddress unmapped(const IpAddress& address) {
  if (!address.is_mapped()) return address;
  IpAddress made;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), made.bytes.begin());
  return made;
}

}  // namespace

bool IpAddress::is_mapped() const {
  return is_ipv6 && std::all_of(bytes.begin(), bytes.begin() + 10, [](std::uint8_t b) { return b == 0; }) &&
         bytes[10] == 0xff && bytes[11] == 0xff;
}

bool IpBlock::strictly_contains(const IpBlock& other) const {
  return address.is_ipv6 == other.address.is_ipv6 && length < other.length &&
         same_prefix(address, other.address, length);
}

std::optional<IpAddress> parse_address(std::string_view text) {
  if (auto address = parse_ipv4(text)) return address;
  IpAddress made{.is_ipv6 = true};
  if (::inet_pton(AF_INET6, std::string(text).c_str(), made.bytes.data()) != 1) return std::nullopt;
  return made;
}

std::optional<IpBlock> parse_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  IpBlock made{.address = *address, .has_zeros = address->has_zeros};
  const auto length = small_number(text.substr(slash + 1), address->bits(), made.has_zeros);
  if (!length) return std::nullopt;
  made.length = *length;
  return made;
}

k8s::Faults check_block(std::string_view text) {
  const auto block = parse_block(text);
  if (!block) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  if (block->has_zeros) return {"must not have leading 0s in IP or prefix length"};
  if (block->address.is_mapped()) return {"must not have an IPv4-mapped IPv6 address"};
  for (std::size_t i = block->length; i < block->address.bits(); ++i) {
    if (bit_of(block->address, i)) return {"must not have bits set beyond the prefix length"};
  }
  return {};
}

k8s::Faults check_reachable(std::string_view text) {
  const auto parsed = parse_address(text);
  if (!parsed) return {"must be a valid IP address"};
  const IpAddress address = unmapped(*parsed);
  const auto& bytes = address.bytes;
  const bool is_zero_but_last =
      std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t b) { return b == 0; });
  k8s::Faults faults;
  if (is_zero_but_last && bytes[15] == 0)
    faults.push_back("may not be unspecified (" + std::string(text) + ")");
  if (address.is_ipv6 ? is_zero_but_last && bytes[15] == 1 : bytes[0] == 127)
    faults.emplace_back("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (address.is_ipv6 ? bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80 : bytes[0] == 169 && bytes[1] == 254)
    faults.emplace_back("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (address.is_ipv6 ? bytes[0] == 0xff && (bytes[1] & 0x0f) == 0x02
                      : bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0)
    faults.emplace_back("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  return faults;
}

}  // namespace fairway::apiserver::validation
