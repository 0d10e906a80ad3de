// SPDX-License-Identifier: Apache-2.0

// Limits on the cost of a patch. The defaults are about those of a Kubernetes API server.
#pragma once

#include <cstddef>

namespace fairway::k8s {

struct PatchLimits {
  /// Maximum number of operations of one JSON patch.
  std::size_t operations = 10'000;
  /// Maximum size that the `copy` operations of one JSON patch may add together, in bytes of JSON: copies of
  /// copies double.
  std::size_t copied_bytes = 3 << 20;
  /// Maximum nesting depth of patches and of results.
  std::size_t depth = 64;
  /// Maximum number of members and list items that one JSON patch may move, by removals before them.
  std::size_t shifts = 20'000'000;
};

}  // namespace fairway::k8s
