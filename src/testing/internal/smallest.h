// SPDX-License-Identifier: Apache-2.0

// Makes an object smaller that shows a fault.
#pragma once

#include <functional>

#include "base/json.h"

namespace fairway::testing {

/// Returns the smallest object that is found of which `is_one` still holds, as it does of `object`: without
/// members and items, and with simple values, as far as it goes. Members at the top that are texts, and
/// metadata, stay. It asks at most `most_steps` times.
json::Object smallest(json::Object object, const std::function<bool(const json::Object&)>& is_one,
                      int most_steps = 2'000);

}  // namespace fairway::testing
