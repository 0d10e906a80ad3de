// SPDX-License-Identifier: Apache-2.0

#include "cli/low_memory.h"

#include <malloc.h>

#include <algorithm>
#include <thread>

namespace fairway::cli {

void keep_memory_low() {
  // Fewer arenas than four a processor slow down creates: the engine, the workers and the handlers wait for
  // each other's.
  constexpr unsigned of_a_processor = 4, fewest = 4, most = 16;
  const unsigned arenas = of_a_processor * std::thread::hardware_concurrency();
  mallopt(M_ARENA_MAX, static_cast<int>(std::clamp(arenas, fewest, most)));
  // Larger texts go back to the system when they are freed.
  mallopt(M_MMAP_THRESHOLD, 512 << 10);
}

}  // namespace fairway::cli
