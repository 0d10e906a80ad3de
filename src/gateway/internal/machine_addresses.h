// SPDX-License-Identifier: Apache-2.0

// The addresses of this machine.
#pragma once

#include <vector>

#include "base/address_range.h"

namespace fairway::gateway {

/// Returns the addresses of this machine's network interfaces. For a loopback interface these are all of its
/// subnet, at which the kernel answers. Returns all addresses if the kernel does not say.
std::vector<AddressRange> machine_addresses();

}  // namespace fairway::gateway
