// SPDX-License-Identifier: Apache-2.0

// Ranges of IP addresses: "10.0.0.0/8", "fd00::/8".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway {

/// The bytes of an IPv6 address, or of the mapped form (::ffff:192.0.2.1) of one of IPv4: both forms of an
/// address have the same bytes.
using AddressBytes = std::array<std::uint8_t, 16>;

/// Reads an address. std::nullopt: the text is no IP address, or one with a zone.
std::optional<AddressBytes> address_bytes(std::string_view text);

/// Addresses that begin with the same bits.
class AddressRange {
 public:
  /// Reads "10.0.0.0/8", "fd00::/8", or one address. Errors (`invalid`): it is neither, or has bits set
  /// beyond its prefix, which suggest another range.
  static Result<AddressRange> parse(std::string_view text);
  /// Makes the range of one address.
  explicit AddressRange(const AddressBytes& address) : first_(address) {}

  /// Returns whether it has an address, in either form of one of IPv4. A range of IPv6 contains no address of
  /// IPv4, however short its prefix is.
  bool contains(const AddressBytes& address) const;
  bool contains(std::string_view address) const;
  bool operator==(const AddressRange&) const = default;

 private:
  AddressRange() = default;

  AddressBytes first_{};
  unsigned bits_ = 128;
};

/// Reads ranges with commas between them; an empty text has none. Errors: those of `AddressRange::parse`.
Result<std::vector<AddressRange>> parse_address_ranges(std::string_view text);

}  // namespace fairway
