// SPDX-License-Identifier: Apache-2.0

// The current credentials: reread from files, or from a credential plugin.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/timed_condition.h"
#include "kube/client/client_config.h"
#include "kube/internal/client/exec_plugin.h"

namespace fairway::kube {

/// The current credentials of a client. Safe from all threads. A token file is reread every minute; a plugin
/// runs again when its credential expires. Both happen at once after a server has rejected the credential.
class Credentials {
 public:
  struct Current {
    /// The Authorization header; empty for none.
    std::string authorization = {};
    /// A client certificate and key from a program; empty for none.
    std::string certificate = {}, key = {};
    /// Number that changes whenever the other members change.
    std::uint64_t version = 0;
  };

  /// `config` and `clock` must outlive this.
  Credentials(const ClientConfig& config, Clock& clock) : config_(config), clock_(clock) {}

  /// Returns the credentials to send now. One thread at a time runs the plugin, and the others wait for its
  /// answer. Errors name the file or the program, or are `deadline_exceeded` or `cancelled`.
  Result<Current> current(const Limits& limits);
  /// Notes that a server answered 401 to this version. Returns whether a retry may have other credentials.
  bool refused(std::uint64_t version);

 private:
  Result<void> read_token_file();
  /// Runs the plugin. Releases the lock while the program runs.
  Result<void> ask_program(std::unique_lock<std::mutex>& lock, const Limits& limits);
  void take(Current current);

  const ClientConfig& config_;
  Clock& clock_;
  std::mutex mutex_;
  TimedCondition answered_;
  /// True while a thread runs the plugin.
  bool asking_ = false;
  std::optional<Current> current_;
  /// Times at which to read the credential again, by the monotonic clock and by the wall clock.
  std::optional<SteadyTime> stale_at_;
  std::optional<WallTime> expires_;
  bool refused_ = false;
};

}  // namespace fairway::kube
