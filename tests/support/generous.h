// SPDX-License-Identifier: Apache-2.0

// Time limits of tests.
#pragma once

namespace fairway::testing {

/// The limit for an action that takes no longer than `usually` on an idle machine. Tests run beside other
/// work: a limit detects a hang, and is no measurement.
template <class Duration>
constexpr Duration generous(Duration usually) {
  return usually * 10;
}

}  // namespace fairway::testing
