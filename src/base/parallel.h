// SPDX-License-Identifier: Apache-2.0

// A loop whose iterations run on a few threads.
#pragma once

#include <cstddef>
#include <functional>

#include "base/limits.h"

namespace fairway {

/// Calls `work(i)` for each i below `count` on up to `threads` threads, the caller's among them, and returns
/// when all calls have ended. `work` records its own results. After an exception no further call is started;
/// the first exception is rethrown.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t i)>& work);

/// Does the same within limits: calls that have not begun when they expire are left out.
void parallel_for(std::size_t count, int threads, const Limits& limits, const Clock& clock,
                  const std::function<void(std::size_t i)>& work);

}  // namespace fairway
