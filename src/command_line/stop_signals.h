// SPDX-License-Identifier: Apache-2.0

// Ctrl-C as a stop token.
#pragma once

#include <csignal>
#include <functional>
#include <stop_token>
#include <thread>

namespace fairway::command_line {

/// A scope in which SIGINT and SIGTERM request a stop of `token()` instead of ending the process. Create it
/// before any thread is started: threads inherit the signal mask that it sets. After the scope, signals end
/// the process as before; if one came, they stay blocked.
class StopSignals {
 public:
  /// Blocks the signals. SIGHUP calls `on_hangup`, if there is one, on a thread of its own.
  explicit StopSignals(std::function<void()> on_hangup = {});
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  sigset_t before_{};
  std::stop_source source_;
  std::jthread waiter_;
};

}  // namespace fairway::command_line
