// SPDX-License-Identifier: Apache-2.0

// Waiting until a condition holds that tells nobody when it does.
#pragma once

#include <chrono>
#include <concepts>
#include <thread>

#include "support/generous.h"

namespace fairway::testing {

/// Polls until `holds` is true; false if it was not within a time that is long enough on any machine.
template <std::predicate Condition>
bool eventually(const Condition& holds) {
  const auto deadline = std::chrono::steady_clock::now() + generous(std::chrono::seconds(12));
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace fairway::testing
