// SPDX-License-Identifier: Apache-2.0

// One process of Envoy.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "gateway/envoy_process.h"

namespace fairway::gateway {

class EnvoyChild {
 public:
  /// Starts Envoy with a bootstrap. With a parent, it takes over the parent's listeners once it has its
  /// configuration; the parent serves its connections until they end or `drain` has passed, and then ends
  /// itself. Errors: those of the system; the path of the sockets is too long; the parent's base ID is not
  /// known.
  static Result<EnvoyChild> start(const EnvoyOptions& options, const std::string& bootstrap,
                                  const EnvoyChild* parent = nullptr);

  /// Returns its wait status (waitpid) once it has ended; std::nullopt: it runs.
  std::optional<int> ended() const;
  void signal(int number) const;
  /// Removes the memory that Envoy shares with its replacement, and does not remove itself. Call it once the
  /// last Envoy has ended.
  void remove_shared_memory(const EnvoyOptions& options) const;

 private:
  EnvoyChild(pid_t pid, unsigned epoch) : pid_(pid), epoch_(epoch) {}

  pid_t pid_;
  /// Number of Envoys that have been replaced before this one.
  unsigned epoch_;
};

/// Describes a wait status: "signal 9", "exit code 1".
std::string describe_end(int status);

}  // namespace fairway::gateway
