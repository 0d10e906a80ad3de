// SPDX-License-Identifier: Apache-2.0

// The client's sockets: every wait ends at a deadline or on a stop request.
#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "base/result.h"

namespace fairway::http {

/// Waits for sockets, within the limits of a call.
class SocketWait {
 public:
  /// `clock` is the one of the deadline. The kernel waits by the machine's clock.
  explicit SocketWait(const Limits& limits, const Clock& clock = Clock::system());
  ~SocketWait();
  SocketWait(const SocketWait&) = delete;
  SocketWait& operator=(const SocketWait&) = delete;

  /// The limits of the call, with the deadline on the machine's clock.
  const Limits& limits() const { return limits_; }
  /// Waits until one of `fds` is ready (poll's events, the result in `revents`) or `until` has passed, which
  /// is not an error if it is before the deadline. Errors: `deadline_exceeded`, `cancelled`.
  Result<void> wait(pollfd* fds, std::size_t count, SteadyTime until) const;
  Result<void> wait(int fd, short events) const;

 private:
  struct Wakeup;
  const Limits limits_;
  std::unique_ptr<Wakeup> wakeup_;
};

/// All addresses of a host (name or address), as numbers, each once, in the resolver's order. `limit` bounds
/// the lookup in addition to the deadline.
Result<std::vector<std::string>> addresses_of(const std::string& host, std::chrono::milliseconds limit,
                                              const SocketWait& sockets);

/// Connects to a host (name or address) by TCP: its addresses are tried in turn, the next one when the
/// previous one failed or has not answered within 250 ms (RFC 8305). `limit` bounds the whole attempt in
/// addition to the deadline. TCP keepalive detects a silent peer after a minute.
Result<FileDescriptor> connect_to(const std::string& host, std::uint16_t port,
                                  std::chrono::milliseconds limit, const SocketWait& sockets);

}  // namespace fairway::http
