// SPDX-License-Identifier: Apache-2.0

// The addresses of --addresses: for Gateways that ask for none, and those that are allowed though they are
// local.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::gateway {

/// Ranges of IPv4 addresses.
class AddressPool {
 public:
  /// Makes an empty pool.
  AddressPool() = default;
  /// Reads a range, "198.51.100.0/24", or an address, or several separated by commas. The network and
  /// broadcast addresses of a range (up to /30) are not given out. Errors: it is no such range, or larger
  /// than a /16.
  static Result<AddressPool> parse(std::string_view text);

  bool contains(std::string_view address) const;
  /// Returns the first address that is not taken, of the ranges in their order.
  std::optional<std::string> first_free(const std::set<std::string>& taken) const;

 private:
  struct Range {
    std::uint32_t first, last;
  };
  static Result<Range> parse_range(std::string_view text);
  std::vector<Range> ranges_;
};

}  // namespace fairway::gateway
