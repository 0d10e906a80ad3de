// SPDX-License-Identifier: Apache-2.0

// The part of Envoy's bootstrap that keeps it alive under load.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace fairway::gateway {

/// Returns the `overload_manager` of a bootstrap, since Envoy has no limits of its own. `max_connections`: of
/// clients, at a time. `max_memory`: bytes of its heap, 0 for no limit. From four fifths of them on it ends
/// idle connections sooner, resets the streams that hold most, and at last refuses requests.
json::Object overload_manager(std::uint32_t max_connections, std::uint64_t max_memory);

}  // namespace fairway::gateway
