// SPDX-License-Identifier: Apache-2.0

// The addresses at which a process is reached that listens at all addresses of this machine.
#pragma once

#include <vector>

#include "base/address_range.h"

namespace fairway::gateway {

/// Returns whether it is the unspecified address, of IPv6 or of IPv4.
bool is_any(const AddressBytes& address);

/// Returns whether this machine has the address: one of `machine`, those of its interfaces, or loopback.
bool is_of_machine(const AddressBytes& address, const std::vector<AddressRange>& machine);

}  // namespace fairway::gateway
