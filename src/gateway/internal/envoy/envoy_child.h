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
  /// Starts Envoy with a bootstrap. With a parent it takes over the parent's listeners once it has its
  /// configuration; the parent serves its connections until they end, or `drain` has passed, and ends itself.
  /// Errors: the system's; what the parent shares memory by is not known.
  static Result<EnvoyChild> start(const EnvoyOptions& options, const std::string& bootstrap,
                                  const EnvoyChild* parent = nullptr);

  /// How it has ended, as waitpid says it; std::nullopt: it runs.
  std::optional<int> ended() const;
  void signal(int number) const;
  /// Removes the memory that Envoy shares with the one that replaces it, and leaves behind. Once the last has
  /// ended.
  void remove_shared_memory(const EnvoyOptions& options) const;

 private:
  EnvoyChild(pid_t pid, unsigned epoch) : pid_(pid), epoch_(epoch) {}

  pid_t pid_;
  /// How many have been replaced before.
  unsigned epoch_;
};

/// "signal 9", "exit code 1".
std::string describe_end(int status);

}  // namespace fairway::gateway
