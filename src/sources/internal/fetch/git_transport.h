// SPDX-License-Identifier: Apache-2.0

// Git's smart protocol over http::Client, so that fetches share its certificates, proxies, deadlines and stop
// tokens (libgit2 1.5's own transport can be given neither a deadline nor further CAs for one remote alone).
// Only the git_*.cc files see this.
#pragma once

#include <git2.h>
#include <git2/sys/transport.h>

#include <optional>
#include <stop_token>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "http/access.h"
#include "http/client.h"

namespace fairway::sources {

/// One conversation with one remote; must outlive the git_remote that it is given to.
class GitTransport {
 public:
  /// Makes a transport. Replies are spooled to `spool_folder` until they are read; they may be too large for
  /// memory.
  GitTransport(http::Client& client, const http::Access& repository, std::string spool_folder,
               const Limits& limits, const Clock& clock);
  GitTransport(const GitTransport&) = delete;
  GitTransport& operator=(const GitTransport&) = delete;

  /// Value of git_remote_callbacks::transport; its payload is `payload()`.
  static int make(git_transport** out, git_remote* owner, void* payload);
  void* payload() { return this; }

  /// Returns the error of HTTP, if any: more telling than libgit2's own error.
  const std::optional<Error>& error() const { return error_; }
  bool deadline_passed() const;

 private:
  struct Subtransport;
  struct Exchange;

  Result<void> run(Exchange& exchange);

  http::Client& client_;
  http::Url base_;  ///< URL of the repository, or that to which the first redirect led
  std::string authorization_;
  std::string origin_;  ///< authority to which the credentials are limited
  std::string spool_folder_;
  Limits limits_;
  const Clock& clock_;
  std::optional<Error> error_;
  git_smart_subtransport_definition definition_{};
};

}  // namespace fairway::sources
