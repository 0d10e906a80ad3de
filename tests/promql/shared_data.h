// The data beside the project, which tests use where it is there.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace fairway::promql {

inline std::filesystem::path shared_data(const char* folder) {
  const char* root = std::getenv("FAIRWAY_SHARED");
  return std::filesystem::path(root != nullptr ? root : FAIRWAY_SOURCE_DIR "/../shared") / "data" / folder;
}

}  // namespace fairway::promql
