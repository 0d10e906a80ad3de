// Who we are at the moment: credentials that are read again, or got from a program.
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
#include "kube/client/internal/exec_plugin.h"

namespace fairway::kube {

/// Safe from all threads. A token's file is read again every minute; a program is asked again when what it
/// gave expires. Either happens at once when a server has refused what it was shown.
class Credentials {
 public:
  struct Current {
    /// The Authorization header; empty for none.
    std::string authorization;
    /// A client certificate and key from a program; empty for none.
    std::string certificate, key;
    /// Changes whenever the others do.
    std::uint64_t version = 0;
  };

  /// `config` and `clock` must outlive this.
  Credentials(const ClientConfig& config, Clock& clock) : config_(config), clock_(clock) {}

  /// What to show now. One thread at a time asks the program, the others wait for its answer. Errors name the
  /// file or the program, or are `deadline_exceeded` or
  /// `cancelled`.
  Result<Current> current(const Limits& limits);
  /// A server answered 401 to this version. True: others may be had, it is worth another try.
  bool refused(std::uint64_t version);

 private:
  Result<void> read_token_file();
  /// Lets go of the lock while the program runs.
  Result<void> ask_program(std::unique_lock<std::mutex>& lock, const Limits& limits);
  void take(Current current);

  const ClientConfig& config_;
  Clock& clock_;
  std::mutex mutex_;
  TimedCondition answered_;
  /// A thread is asking the program.
  bool asking_ = false;
  std::optional<Current> current_;
  /// When to look again, on the one clock or the other.
  std::optional<SteadyTime> stale_at_;
  std::optional<WallTime> expires_;
  bool refused_ = false;
};

}  // namespace fairway::kube
