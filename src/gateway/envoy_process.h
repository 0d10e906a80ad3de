// Envoy as a child process: started, and started again when it ends.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::gateway {

struct EnvoyOptions {
  /// The program.
  std::string program;
  /// Where it asks for its configuration: "127.0.0.1:18000".
  std::string xds_address;
  /// For its bootstrap and the socket of its administration, which only this user may reach.
  std::filesystem::path data;
  /// Its name there.
  std::string node = "fairway";
};

/// What Envoy begins with: where the rest comes from.
Result<json::Object> envoy_bootstrap(const EnvoyOptions& options);

/// Runs Envoy until `stop`. When it ends it is started again, at most every 100 ms, and after 10 s with
/// pauses up to 5 s where it goes on ending. Its log goes to standard error. Errors: the bootstrap cannot be
/// written, or there is no such program.
Result<void> run_envoy(const EnvoyOptions& options, Clock& clock, const std::stop_token& stop);

}  // namespace fairway::gateway
