// SPDX-License-Identifier: Apache-2.0

// The paths of fields that were removed.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "schema/internal/place.h"

namespace fairway::schema::internal {

/// Paths for a report. Each may be as long as the document, and there may be as many as it has members, so
/// their total size is limited.
class DroppedPaths {
 public:
  void add_in_document(const Place& place) {
    if (bytes_ < most_bytes) add(place.in_document());
  }
  void add_field(const Place& place) {
    if (bytes_ < most_bytes) add(place.field());
  }
  /// Returns the paths, sorted, and leaves none.
  std::vector<std::string> take() {
    std::ranges::sort(paths_);
    return std::move(paths_);
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  void add(std::string path) {
    bytes_ += path.size() + sizeof(std::string);
    paths_.push_back(std::move(path));
  }

  std::vector<std::string> paths_;
  std::size_t bytes_ = 0;
};

}  // namespace fairway::schema::internal
