// SPDX-License-Identifier: Apache-2.0

// Tells a service manager such as systemd how this process is: when it is ready, and that it is alive.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "command_line/internal/notify_socket.h"

namespace fairway::command_line {

/// Functions that say how a process is. Each returns the reason why it is not, or std::nullopt. They are
/// called on one thread, and may take seconds.
struct ServiceHealth {
  std::function<std::optional<std::string>()> not_ready, not_alive;
};

/// The messages of sd_notify(3) to the service manager that has started this process. Without one every call
/// does nothing. Safe from all threads. docs/systemd.md says what is sent when.
class ServiceNotifier {
 public:
  /// Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment, so that no child believes
  /// that they are for it. Call it before any thread is started: others may read the environment.
  explicit ServiceNotifier(Clock& clock = Clock::system());
  ServiceNotifier(const ServiceNotifier&) = delete;
  ServiceNotifier& operator=(const ServiceNotifier&) = delete;

  /// Returns whether there is a service manager to tell.
  bool has_manager() const { return socket_.has_value(); }

  /// Asks `health` once a second, and reports what has changed, on the thread that it returns, which ends the
  /// reports when it is destroyed. The manager's watchdog is told that the process is alive four times in
  /// its interval, for as long as `not_alive` has no reason. While the process is alive and not ready yet, it
  /// gets more time to start.
  [[nodiscard]] std::jthread follow(ServiceHealth health);

  /// Reports that settings are read again. Sent only if the process was ready: a manager that waits for the
  /// start would take the end of a reload for it.
  void reloading();
  /// Reports the end of a reload. The status names its fault, if it has one, until the next reload.
  void reloaded(const std::optional<std::string>& fault);
  /// Reports that the process stops, which may take `limit`, and asks the manager to wait as long.
  void stopping(std::chrono::nanoseconds limit);

 private:
  void look(const ServiceHealth& health);
  std::string status_of(const std::optional<std::string>& unready) const;
  bool send(const std::string& message) const { return socket_ && socket_->send(message); }

  Clock& clock_;
  std::optional<NotifySocket> socket_;
  std::chrono::nanoseconds watchdog_{};    ///< interval of the manager's watchdog; 0: it has none
  std::chrono::nanoseconds sign_every_{};  ///< time between two questions whether the process is alive
  // Of the thread that looks:
  std::optional<SteadyTime> last_sign_;
  std::optional<std::string> dead_;  ///< the last answer to the question whether the process is alive
  std::mutex mutex_;
  bool is_ready_ = false;     ///< the manager has been told that the process is ready
  bool owes_ready_ = false;   ///< the end of a reload could not be delivered
  bool is_stopping_ = false;  ///< it has been told that the process stops
  std::string status_;        ///< the last status that it was told
  std::optional<std::string> reload_fault_;
};

}  // namespace fairway::command_line
