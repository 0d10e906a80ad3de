// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/address_pool.h"

#include <algorithm>
#include <charconv>

#include "base/ipv4.h"
#include "base/text.h"

namespace fairway::gateway {

Result<AddressPool::Range> AddressPool::parse_range(std::string_view text) {
  const auto refuse = [&] {
    return fail(ErrorCode::invalid,
                "--addresses " + printable(text, 60) +
                    " is no range of IPv4 addresses such as 198.51.100.0/24 (at most a /16)");
  };
  const std::size_t slash = text.find('/');
  const auto address = parse_ipv4(text.substr(0, slash));
  if (!address) return refuse();
  unsigned bits = 32;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (fault != std::errc() || end != digits.data() + digits.size() || bits < 16 || bits > 32)
      return refuse();
  }
  const std::uint32_t mask = ~std::uint32_t{0} << (32 - bits);
  Range range{.first = *address & mask, .last = *address | ~mask};
  if (bits <= 30) {
    ++range.first;
    --range.last;
  }
  return range;
}

Result<AddressPool> AddressPool::parse(std::string_view text) {
  AddressPool pool;
  for (const std::string_view part : split(text, ',')) {
    const auto range = parse_range(part);
    if (!range) return fail(range.error());
    pool.ranges_.push_back(*range);
  }
  return pool;
}

bool AddressPool::contains(std::string_view address) const {
  const auto number = parse_ipv4(address);
  return number && std::ranges::any_of(ranges_, [&](const Range& range) {
           return *number >= range.first && *number <= range.last;
         });
}

std::optional<std::string> AddressPool::first_free(const std::set<std::string>& taken) const {
  for (const Range& range : ranges_) {
    for (std::uint64_t number = range.first; number <= range.last; ++number) {
      std::string address = ipv4_text(static_cast<std::uint32_t>(number));
      if (!taken.contains(address)) return address;
    }
  }
  return std::nullopt;
}

}  // namespace fairway::gateway
