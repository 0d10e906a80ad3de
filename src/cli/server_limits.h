// SPDX-License-Identifier: Apache-2.0

// The flags that limit what clients of a server may hold: those of every command that serves HTTP.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/server.h"

namespace fairway::cli {

/// The flags that limit time, as given: "10s".
struct ServerTimes {
  std::string header = "10s", idle = "75s", body = "1m", write = "1m", rate_window = "10s";
};

/// Adds the flags to a command, which write to `server` and `times`; their present values are the defaults.
void add_server_limits(CLI::App& command, http::ServerOptions& server, ServerTimes& times);

/// Parses the times into the options. Errors (`invalid`): one is not a duration, or not above zero; the error
/// names the flag.
Result<void> read_times(const ServerTimes& times, http::ServerOptions& server);

/// Returns the flags of limits that differ.
std::vector<std::string> changed_limits(const http::ServerOptions& a, const ServerTimes& a_times,
                                        const http::ServerOptions& b, const ServerTimes& b_times);

}  // namespace fairway::cli
