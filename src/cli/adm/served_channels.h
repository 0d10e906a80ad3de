// SPDX-License-Identifier: Apache-2.0

// The list of channels of an update service, within a time limit.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/result.h"
#include "upstream/update_service.h"

namespace fairway::cli {

/// Requests a stop when a time has passed.
class TimeLimit {
 public:
  /// Starts to wait until `until`, a time of the system's clock; a stop of `stop` counts as well.
  explicit TimeLimit(SteadyTime until, const std::stop_token& stop = {})
      : of_caller_(stop, [this] { stop_.request_stop(); }),
        waiter_([this, until](const std::stop_token& ended) {
          if (!Clock::system().wait_until(until, ended)) return;
          is_over_ = true;
          stop_.request_stop();
        }) {}
  std::stop_token token() const { return stop_.get_token(); }
  /// Returns whether the time has passed.
  bool is_over() const { return is_over_; }

 private:
  std::stop_source stop_;
  std::atomic<bool> is_over_ = false;
  std::stop_callback<std::function<void()>> of_caller_;
  std::jthread waiter_;
};

/// Returns the text for a request that `limit` was too short for: "no answer within 10s".
std::string no_answer_within(std::chrono::nanoseconds limit);

/// Adds the channels of the service's list that are not in `descriptions` yet, with their descriptions.
/// Names that cannot be typed are left out. Errors: no list, no answer until `until`; `share` is the time
/// that the request has, for the message.
Result<void> add_served_channels(const upstream::UpdateService& service, SteadyTime until,
                                 std::chrono::seconds share, std::map<std::string, std::string>& descriptions,
                                 const std::stop_token& stop = {});

}  // namespace fairway::cli
