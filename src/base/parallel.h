// The same work for many things, on a few threads.
#pragma once

#include <cstddef>
#include <functional>

#include "base/limits.h"

namespace fairway {

/// Calls `work(i)` for each i below `count` on up to `threads` threads, the caller's among them, and returns
/// when all calls have ended. `work` keeps its own results and errors. After an exception, which is a bug,
/// nothing more is begun, and the first one is thrown here.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t i)>& work);

/// The same, but what has not begun when the limits expire is left undone.
void parallel_for(std::size_t count, int threads, const Limits& limits, const Clock& clock,
                  const std::function<void(std::size_t i)>& work);

}  // namespace fairway
