// SPDX-License-Identifier: Apache-2.0

// The addresses of this machine.
#pragma once

#include <vector>

#include "base/address_range.h"
#include "gateway/internal/model/endpoint_policy.h"

namespace fairway::gateway {

/// Returns the addresses of this machine's network interfaces. For a loopback interface these are all of its
/// subnet, at which the kernel answers. Returns all addresses if the kernel does not say.
std::vector<AddressRange> machine_addresses();

/// Returns the families of addresses that this machine reaches others with: an interface that is up has an
/// address of the family that is neither a loopback nor a link-local one. Returns both families if no
/// interface has such an address, or the kernel does not say.
AddressFamilies reachable_families();

}  // namespace fairway::gateway
