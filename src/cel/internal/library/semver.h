// SPDX-License-Identifier: Apache-2.0

// Semantic versions.
#pragma once

#include <compare>
#include <string_view>

#include "base/semver.h"
#include "cel/values/value.h"

namespace fairway::cel {

struct SemverValue : Opaque {
  /// Text, which is well-formed.
  std::string_view text;
};

/// Compares by precedence: build metadata does not count.
std::strong_ordering compare_semver(const SemverValue& a, const SemverValue& b);

}  // namespace fairway::cel
