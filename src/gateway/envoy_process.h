// Envoy as a child process: started, started again when it ends, replaced, and drained.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "gateway/connection_limits.h"

namespace fairway::gateway {

/// Asks for another Envoy in place of the one that runs. Safe from all threads.
class EnvoyRestart {
 public:
  void request() { is_asked_for_ = true; }
  /// Returns whether it was asked for since the last call.
  bool take() { return is_asked_for_.exchange(false); }

 private:
  std::atomic<bool> is_asked_for_ = false;
};

struct EnvoyOptions {
  /// The program.
  std::string program;
  /// The Unix socket where it asks for its configuration; an absolute path.
  std::filesystem::path xds_socket;
  /// For its bootstrap and the socket of its administration, which only this user may reach.
  std::filesystem::path data;
  /// Its name there.
  std::string node = "fairway";
  /// How long connections may take to end before Envoy does, or before one that has been replaced does.
  std::chrono::seconds drain{20};
  /// Where a hot restart is asked for: the new Envoy, of the program as it is then, takes the listeners over
  /// without a gap. nullptr: nobody does.
  EnvoyRestart* restart = nullptr;
  /// How many connections clients may have at a time: more are closed. No more than its descriptors allow
  /// (`client_connections_limit`).
  std::uint32_t max_connections = default_max_connections;
};

/// What Envoy begins with: where the rest comes from. Errors: the socket is no absolute path.
Result<json::Object> envoy_bootstrap(const EnvoyOptions& options);

/// Runs Envoy until `stop`, and lets its connections end then. When it ends by itself it is started again, at
/// most every 100 ms, and after 10 s with pauses up to 5 s where it goes on ending. One that shall replace it
/// and ends before it has is given up. Its log goes to standard error. Errors: the bootstrap cannot be
/// written, or there is no such program.
Result<void> run_envoy(const EnvoyOptions& options, Clock& clock, const std::stop_token& stop);

}  // namespace fairway::gateway
