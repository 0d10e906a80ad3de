// Which recorded cases are tried with the program, where each takes a process.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "support/shared_data.h"

namespace fairway::operators::testing {

/// The library is tried with all, and so is this with --all, and where they are not the usual ones.
inline std::size_t one_of_so_many() {
  return std::getenv("FAIRWAY_ALL") != nullptr || !fairway::testing::is_default_shared() ? 1 : 8;
}

/// Which of them: each is of one seed of eight.
inline std::size_t seed() {
  const char* text = std::getenv("FAIRWAY_SEED");
  return text == nullptr ? 1 : std::strtoul(text, nullptr, 10);
}

}  // namespace fairway::operators::testing
