// Real data that is not part of this repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fairway::testing {

/// $FAIRWAY_SHARED, else `shared` beside the project: where real graph data lies on machines that have it.
inline std::filesystem::path shared_folder() {
  if (const char* folder = std::getenv("FAIRWAY_SHARED"); folder != nullptr && *folder != '\0') return folder;
  return std::filesystem::path(FAIRWAY_SOURCE_DIR).parent_path() / "shared";
}

}  // namespace fairway::testing
