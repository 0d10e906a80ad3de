// SPDX-License-Identifier: Apache-2.0

// The releases of one build in another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/snapshot.h"

namespace fairway::graph {

/// Returns, for each release of `old`, its index in `fresh`, which may be null.
std::vector<std::optional<std::uint32_t>> positions_in(const Architecture* fresh, const Architecture& old);

/// Returns whether an architecture keeps an update back: blocked, or removed by metadata. One that is left
/// out is neither served nor kept back.
bool is_removed(const Architecture& architecture, std::uint32_t from, std::uint32_t to);

}  // namespace fairway::graph
