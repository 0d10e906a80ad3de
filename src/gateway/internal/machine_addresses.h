// The addresses of this machine.
#pragma once

#include <vector>

#include "base/address_range.h"

namespace fairway::gateway {

/// The addresses of its network interfaces. Of a loopback interface those of the whole subnet, which the
/// kernel answers at. All addresses where the kernel does not say.
std::vector<AddressRange> machine_addresses();

}  // namespace fairway::gateway
