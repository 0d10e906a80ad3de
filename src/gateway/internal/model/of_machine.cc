// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/of_machine.h"

#include <algorithm>

namespace fairway::gateway {

namespace {

bool is_loopback(const AddressBytes& address) {
  static const AddressRange four = *AddressRange::parse("127.0.0.0/8");
  return four.contains(address) || address == address_bytes("::1");
}

}  // namespace

bool is_any(const AddressBytes& address) {
  return address == address_bytes("::") || address == address_bytes("0.0.0.0");
}

bool is_of_machine(const AddressBytes& address, const std::vector<AddressRange>& machine) {
  return is_loopback(address) ||
         std::ranges::any_of(machine, [&](const AddressRange& range) { return range.contains(address); });
}

}  // namespace fairway::gateway
