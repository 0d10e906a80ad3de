// SPDX-License-Identifier: Apache-2.0

// The choice of recorded cases that are tried with the program, where each takes a process.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "support/shared_data.h"

namespace fairway::operators::testing {

/// Returns the number of parts into which the cases are divided, of which one is run. With --all, or with
/// cases other than the default ones, all are run. The library is always tested with all.
inline std::size_t one_of_so_many() {
  return std::getenv("FAIRWAY_ALL") != nullptr || !fairway::testing::is_default_shared() ? 1 : 8;
}

/// Returns the number of the part that is run, from FAIRWAY_SEED.
inline std::size_t seed() {
  const char* text = std::getenv("FAIRWAY_SEED");
  return text == nullptr ? 1 : std::strtoul(text, nullptr, 10);
}

}  // namespace fairway::operators::testing
