// The client's sockets: every step that waits ends at a deadline or when it is asked to stop.
#pragma once

#include <poll.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/descriptor.h"

namespace fairway::http {

/// How long a call may wait, and who may end it earlier.
class Patience {
 public:
  Patience(SteadyTime deadline, std::stop_token stop);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  SteadyTime deadline() const { return deadline_; }
  const std::stop_token& stop() const { return stop_; }
  /// Waits until one of `fds` is ready (poll's events, the result in `revents`) or `until` has passed, which
  /// is no error if it lies before the deadline. Errors: `deadline_exceeded`, `cancelled`.
  Result<void> wait(pollfd* fds, std::size_t count, SteadyTime until) const;
  Result<void> wait(int fd, short events) const;

 private:
  struct Wakeup;
  SteadyTime deadline_;
  std::stop_token stop_;
  std::unique_ptr<Wakeup> wakeup_;
};

/// Connects to a host (name or address) by TCP: all of its addresses are tried, the next one when the last
/// one failed or has not answered for a quarter of a second (RFC 8305). `limit` bounds all of it beside the
/// deadline. A peer that goes away without a word is noticed after a minute, though nothing is sent.
Result<Descriptor> connect_to(const std::string& host, std::uint16_t port, std::chrono::milliseconds limit,
                              const Patience& patience);

}  // namespace fairway::http
