// What a patch may cost: the defaults are about those of a Kubernetes API server.
#pragma once

#include <cstddef>

#include "base/json.h"

namespace fairway::k8s {

struct PatchLimits {
  /// Operations of one JSON patch.
  std::size_t operations = 10'000;
  /// What the `copy` operations of one JSON patch may add together, in bytes of JSON: copies of copies
  /// double.
  std::size_t copied_bytes = 3 << 20;
  /// How deep documents may be nested, as patches and as results.
  std::size_t depth = 64;
  /// Members and list items that one JSON patch may move, by removals before them.
  std::size_t shifts = 20'000'000;
};

/// How deep a value is nested (a text or number is 0 deep, `[]` and `{}` are 1), and about how many bytes of
/// JSON it is. Counts no deeper than `max_depth` + 1, and no further after that.
struct Measure {
  std::size_t depth = 0, bytes = 0;
  static Measure of(const json::Value& value, std::size_t max_depth);
};

}  // namespace fairway::k8s
