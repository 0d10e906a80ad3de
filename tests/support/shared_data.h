// Data that is not part of this repository, where it is at hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fairway::testing {

/// A path below the folder of shared data ($FAIRWAY_SHARED, by default ../shared beside the project).
inline std::filesystem::path shared_path(const std::string& name) {
  const char* root = std::getenv("FAIRWAY_SHARED");
  return std::filesystem::path(root != nullptr ? root : FAIRWAY_SOURCE_DIR "/../shared") / name;
}

}  // namespace fairway::testing

#define FAIRWAY_NEEDS_SHARED(path)                                           \
  do {                                                                       \
    if (!std::filesystem::exists(path))                                      \
      GTEST_SKIP() << "no shared data at " << (path) << " (FAIRWAY_SHARED)"; \
  } while (false)
