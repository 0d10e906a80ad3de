// SPDX-License-Identifier: Apache-2.0

#include "command_line/service_notifier.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <stop_token>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace fairway::command_line {
namespace {

using std::chrono::nanoseconds;

/// Time between two looks at the process.
constexpr std::chrono::seconds look_every{1};
/// Time between two questions whether the process is alive, where no watchdog says how often it wants to
/// know.
constexpr std::chrono::seconds sign_without_watchdog{10};
/// Signs of life in one interval of a watchdog: two may be late or lost, and the next still comes in time.
constexpr int signs_in_interval = 4;
/// Time that a process which stops has beyond its own limit before the manager kills it.
constexpr std::chrono::seconds stop_margin{5};
/// Longest status: a manager drops messages that are longer than a page.
constexpr std::size_t longest_status = 1'000;

/// Returns the variable's value, and removes it from the environment.
std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string taken = value != nullptr ? value : "";
  ::unsetenv(name);
  return taken;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
  return number;
}

/// Returns the interval of the watchdog that watches this process; 0: none does.
nanoseconds watchdog_interval(const std::string& microseconds, const std::string& pid) {
  // spec: sd_watchdog_enabled(3): those of another process are not for this one
  if (!pid.empty() && number_of(pid) != ::getpid()) return {};
  constexpr std::int64_t longest = std::chrono::microseconds(std::chrono::hours(24 * 365)).count();
  return std::chrono::microseconds(std::min(number_of(microseconds).value_or(0), longest));
}

std::string microseconds_of(nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

/// Returns the line with the status in one line, as a manager wants it.
std::string status_line(const std::string& status) {
  return "STATUS=" + printable(status, longest_status) + "\n";
}

}  // namespace

ServiceNotifier::ServiceNotifier(Clock& clock) : clock_(clock) {
  const std::string address = take_variable("NOTIFY_SOCKET");
  const std::string interval = take_variable("WATCHDOG_USEC");
  const std::string pid = take_variable("WATCHDOG_PID");
  if (address.empty()) return;
  auto opened = NotifySocket::open(address);
  if (!opened) {
    log::warning("the service manager is not told how this process is", {{"error", opened.error().message}});
    return;
  }
  socket_ = *std::move(opened);
  watchdog_ = watchdog_interval(interval, pid);
  sign_every_ =
      watchdog_ > nanoseconds(0) ? watchdog_ / signs_in_interval : nanoseconds(sign_without_watchdog);
}

std::jthread ServiceNotifier::follow(ServiceHealth health) {
  if (!has_manager()) return {};
  return std::jthread([this, health = std::move(health)](const std::stop_token& stop) {
    SteadyTime next = clock_.steady();
    do {
      look(health);
      next = clock_.steady() + std::min<nanoseconds>(look_every, sign_every_);
    } while (clock_.wait_until(next, stop));
  });
}

/// Asks how the process is, and sends what the manager does not know yet. What could not be delivered is sent
/// by the next look.
void ServiceNotifier::look(const ServiceHealth& health) {
  // One that was dead is asked again at once. A slow answer whether it is ready must not delay a sign of
  // life.
  const bool is_due = !last_sign_ || dead_ || clock_.steady() >= *last_sign_ + sign_every_;
  if (is_due) dead_ = health.not_alive();
  const SteadyTime now = clock_.steady();
  const std::optional<std::string> unready = health.not_ready();
  const std::lock_guard lock(mutex_);
  std::string message;
  const bool becomes_ready = !is_ready_ && !is_stopping_ && !unready && !dead_;
  if (becomes_ready || owes_ready_) message += "READY=1\n";
  if (is_due && !dead_) {
    if (watchdog_ > nanoseconds(0)) message += "WATCHDOG=1\n";
    // Sources that are down are no reason to start again: only a process that does not answer is.
    if (!is_ready_ && !is_stopping_ && !becomes_ready)
      message += "EXTEND_TIMEOUT_USEC=" + microseconds_of(sign_every_ * signs_in_interval) + "\n";
  }
  std::string status = is_stopping_ ? status_ : status_of(unready);
  if (status != status_) message += status_line(status);
  if (!message.empty() && !send(message)) return;
  if (is_due) last_sign_ = now;
  is_ready_ = is_ready_ || becomes_ready;
  owes_ready_ = false;
  status_ = std::move(status);
}

std::string ServiceNotifier::status_of(const std::optional<std::string>& unready) const {
  std::string status = "ready";
  if (unready) status = "not ready: " + *unready;
  if (dead_) status = "not alive: " + *dead_;
  if (reload_fault_) status += "; the last reload failed: " + *reload_fault_;
  return status;
}

void ServiceNotifier::reloading() {
  const std::lock_guard lock(mutex_);
  if (!is_ready_ || is_stopping_) return;
  // spec: sd_notify(3), RELOADING: the time by which a manager knows which of its requests is meant
  send("RELOADING=1\nMONOTONIC_USEC=" + microseconds_of(clock_.steady().time_since_epoch()) + "\n");
}

void ServiceNotifier::reloaded(const std::optional<std::string>& fault) {
  const std::lock_guard lock(mutex_);
  reload_fault_ = fault;
  if (!is_ready_ || is_stopping_) return;
  // A reload that never ends keeps a manager from all else: the next look sends what is lost here.
  owes_ready_ = !send("READY=1\n");
}

void ServiceNotifier::stopping(std::chrono::nanoseconds limit) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_stopping_, true)) return;
  send("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + microseconds_of(limit + stop_margin) + "\n" +
       status_line("stopping"));
}

}  // namespace fairway::command_line
