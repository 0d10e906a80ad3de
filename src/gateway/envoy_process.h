// SPDX-License-Identifier: Apache-2.0

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
#include "gateway/memory_limit.h"

namespace fairway::gateway {

/// Requests that the running Envoy is replaced by a new one. Safe from all threads.
class EnvoyRestart {
 public:
  void request() { is_asked_for_ = true; }
  /// Returns whether a restart was requested since the last call.
  bool take() { return is_asked_for_.exchange(false); }

 private:
  std::atomic<bool> is_asked_for_ = false;
};

struct EnvoyOptions {
  /// The program.
  std::string program;
  /// The Unix socket where it asks for its configuration; an absolute path.
  std::filesystem::path xds_socket;
  /// The folder of its bootstrap and of its administration socket, which only this user may access.
  std::filesystem::path data;
  /// Its node ID at the xDS server.
  std::string node = "fairway";
  /// Time that connections may take to end before Envoy is ended, or an Envoy that has been replaced ends
  /// itself.
  std::chrono::seconds drain{20};
  /// Requests for a hot restart: a new Envoy, of the program as it is then, takes over the listeners without
  /// a gap. nullptr: there are none.
  EnvoyRestart* restart = nullptr;
  /// Number of connections that clients may have at a time; further ones are closed. It is lowered to what
  /// the file descriptors allow (`client_connections_limit`).
  std::uint32_t max_connections = default_max_connections;
  /// Bytes of memory that it may have; 0: there is no limit.
  std::uint64_t max_memory = default_max_memory();
};

/// Returns Envoy's bootstrap, which says where the rest of its configuration comes from. Errors: the path of
/// the socket is not absolute.
Result<json::Object> envoy_bootstrap(const EnvoyOptions& options);

/// Runs Envoy until `stop`, and then drains its connections. An Envoy that ends by itself is started again
/// after a pause of 100 ms, which grows to 5 s while it keeps ending, and is reset after 10 s without an end.
/// A replacement that ends before it has taken over is given up. Envoy's log goes to standard error. Errors:
/// the bootstrap cannot be written, or there is no such program.
Result<void> run_envoy(const EnvoyOptions& options, Clock& clock, const std::stop_token& stop);

}  // namespace fairway::gateway
