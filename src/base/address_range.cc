// SPDX-License-Identifier: Apache-2.0

#include "base/address_range.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "base/text.h"

namespace fairway {

namespace {

constexpr AddressBytes mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
/// The bits before those of IPv4 in a mapped address.
constexpr unsigned mapped_bits = 96;

bool have_same_bits(const AddressBytes& a, const AddressBytes& b, unsigned bits) {
  const unsigned whole = bits / 8, rest = bits % 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

bool is_mapped(const AddressBytes& address) {
  return have_same_bits(address, mapped_prefix, mapped_bits);
}

}  // namespace

std::optional<AddressBytes> address_bytes(std::string_view text) {
  const std::string terminated(text);
  // A byte of zero would end the text for the function, and not for whoever reads it next.
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  AddressBytes bytes = mapped_prefix;
  if (::inet_pton(AF_INET, terminated.c_str(), bytes.data() + mapped_bits / 8) == 1) return bytes;
  if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return bytes;
  return std::nullopt;
}

Result<AddressRange> AddressRange::parse(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::invalid, printable(text, 60) + " is no range of addresses: " + why);
  };
  const std::size_t slash = text.find('/');
  const std::string_view address = text.substr(0, slash);
  const auto bytes = address_bytes(address);
  if (!bytes) return refuse("write one such as 10.0.0.0/8 or fd00::/8, or one address");
  AddressRange range;
  range.first_ = *bytes;
  if (slash == std::string_view::npos) return range;
  const bool is_four = address.find(':') == std::string_view::npos;
  const unsigned most = is_four ? 32 : 128;
  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (fault != std::errc() || end != digits.data() + digits.size() || bits > most)
    return refuse("the number behind the slash has to be between 0 and " + std::to_string(most));
  range.bits_ = is_four ? bits + mapped_bits : bits;
  AddressBytes masked = range.first_;
  for (unsigned bit = range.bits_; bit < 128; ++bit)
    masked[bit / 8] = static_cast<std::uint8_t>(masked[bit / 8] & ~(0x80U >> (bit % 8)));
  if (masked != range.first_) return refuse("its address has bits beyond the prefix");
  return range;
}

bool AddressRange::contains(const AddressBytes& address) const {
  if (bits_ < mapped_bits && is_mapped(address)) return false;
  return have_same_bits(address, first_, bits_);
}

bool AddressRange::contains(std::string_view address) const {
  const auto bytes = address_bytes(address);
  return bytes && contains(*bytes);
}

Result<std::vector<AddressRange>> parse_address_ranges(std::string_view text) {
  std::vector<AddressRange> ranges;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    auto range = AddressRange::parse(text.substr(0, comma));
    if (!range) return fail(range.error());
    ranges.push_back(*range);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty())
      return fail(ErrorCode::invalid, "a range of addresses is missing behind the last comma");
  }
  return ranges;
}

}  // namespace fairway
