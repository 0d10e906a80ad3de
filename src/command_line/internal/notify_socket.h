// SPDX-License-Identifier: Apache-2.0

// The socket on which a service manager such as systemd hears from a process: sd_notify(3), without its
// library.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace fairway::command_line {

/// Sends datagrams to a service manager. No call waits, and none raises SIGPIPE.
class NotifySocket {
 public:
  /// Reads an address as $NOTIFY_SOCKET has it: an absolute path, or with `@` in front a name outside of the
  /// file system. Errors: an address of another form, or one that is too long for the kernel.
  static Result<NotifySocket> open(std::string_view address);
  /// Sends lines of `NAME=value`. Returns whether they were delivered: false if nobody listens, or if the
  /// reader has fallen behind, so that the message may be sent again later.
  bool send(std::string_view message) const;

 private:
  NotifySocket() = default;

  FileDescriptor socket_;
  sockaddr_un address_{};
  socklen_t address_size_ = 0;
};

}  // namespace fairway::command_line
