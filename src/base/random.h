// SPDX-License-Identifier: Apache-2.0

// Randomness is injected, so that tests are deterministic.
#pragma once

#include <functional>

namespace fairway {

/// Numbers from [0, 1), evenly. Called from one thread at a time by each holder.
using Random = std::function<double()>;

/// Returns a new generator with a seed from the system.
Random system_random();

}  // namespace fairway
