// SPDX-License-Identifier: Apache-2.0

// The size and depth of a value, before a patch is applied to it.
#pragma once

#include <cstddef>

#include "base/json.h"

namespace fairway::k8s {

/// Nesting depth of a value (a text or number is 0 deep, `[]` and `{}` are 1), and its approximate size in
/// bytes of JSON. Counts no deeper than `max_depth` + 1, and stops there.
struct Measure {
  std::size_t depth = 0, bytes = 0;
  static Measure of(const json::Value& value, std::size_t max_depth);
};

}  // namespace fairway::k8s
