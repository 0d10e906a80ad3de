// The client's sockets: every wait ends at a deadline or on a stop request.
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

/// The deadline of a call and its stop token.
class Patience {
 public:
  Patience(SteadyTime deadline, std::stop_token stop);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  SteadyTime deadline() const { return deadline_; }
  const std::stop_token& stop() const { return stop_; }
  /// Waits until one of `fds` is ready (poll's events, the result in `revents`) or `until` has passed, which
  /// is not an error if it is before the deadline. Errors: `deadline_exceeded`, `cancelled`.
  Result<void> wait(pollfd* fds, std::size_t count, SteadyTime until) const;
  Result<void> wait(int fd, short events) const;

 private:
  struct Wakeup;
  SteadyTime deadline_;
  std::stop_token stop_;
  std::unique_ptr<Wakeup> wakeup_;
};

/// Connects to a host (name or address) by TCP: its addresses are tried in turn, the next one when the
/// previous one failed or has not answered within 250 ms (RFC 8305). `limit` bounds the whole attempt in
/// addition to the deadline. TCP keepalive detects a silent peer after a minute.
Result<Descriptor> connect_to(const std::string& host, std::uint16_t port, std::chrono::milliseconds limit,
                              const Patience& patience);

}  // namespace fairway::http
