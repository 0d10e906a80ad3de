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

/// Safe from all threads. A token file is reread every minute; a plugin runs again when its
/// credential expires. Both happen at once after a server has rejected the credential.
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
