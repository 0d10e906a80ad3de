// SPDX-License-Identifier: Apache-2.0

// A call on another thread that is made if something takes long.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "base/clock.h"

namespace fairway::operators {

/// Calls a function once when a time has passed, unless it was destroyed before. The destructor waits for a
/// call that has begun.
class LateCall {
 public:
  LateCall(std::chrono::nanoseconds after, std::function<void()> call)
      : thread_(
            [until = Clock::system().steady() + after, call = std::move(call)](const std::stop_token& stop) {
              if (Clock::system().wait_until(until, stop)) call();
            }) {}

 private:
  std::jthread thread_;
};

}  // namespace fairway::operators
