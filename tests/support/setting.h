// SPDX-License-Identifier: Apache-2.0

// Numbers that who runs a test may choose (docs/developing-tests.md).
#pragma once

#include <cstdlib>

namespace fairway::testing {

/// Returns the number in the environment variable `name`, or `usual` where it is not set.
inline int setting(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : static_cast<int>(std::strtol(text, nullptr, 10));
}

}  // namespace fairway::testing
