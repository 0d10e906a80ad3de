// How large a value is, before a patch is applied to it.
#pragma once

#include <cstddef>

#include "base/json.h"

namespace fairway::k8s {

/// How deep a value is nested (a text or number is 0 deep, `[]` and `{}` are 1), and about how many bytes of
/// JSON it is. Counts no deeper than `max_depth` + 1, and no further after that.
struct Measure {
  std::size_t depth = 0, bytes = 0;
  static Measure of(const json::Value& value, std::size_t max_depth);
};

}  // namespace fairway::k8s
