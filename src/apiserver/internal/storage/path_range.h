// SPDX-License-Identifier: Apache-2.0

// The paths of a namespace's objects.
#pragma once

#include <string>
#include <string_view>

namespace fairway::apiserver::storage {

/// The paths from `begin` on and before `end`.
struct PathRange {
  std::string begin, end;

  /// Returns the range of a namespace's objects; for an empty name that of all objects.
  static PathRange of(std::string_view namespace_name) {
    // No text in UTF-8 has a byte of 0xff, and '0' follows '/'.
    if (namespace_name.empty()) return {"", "\xff"};
    return {std::string(namespace_name) + "/", std::string(namespace_name) + "0"};
  }
};

}  // namespace fairway::apiserver::storage
