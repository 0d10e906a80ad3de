// SPDX-License-Identifier: Apache-2.0

// The embedded API server in a process of its own, which can be killed.
#pragma once

#include <string>
#include <vector>

namespace fairway::conformance {

/// The role in which this program is an API server: `ROLE FOLDER PORT MINUTES`. Its clock is ahead by these
/// minutes.
inline constexpr const char* api_server_role = "api-server";

/// Serves on a port of loopback, with its database in the folder, until SIGTERM. Once it answers, the
/// certificates of clients are in the folder; those that are there are kept. SIGUSR1 advances its clock so
/// far that it compacts its history. Returns the exit code.
int run_api_server(const std::vector<std::string>& arguments);

}  // namespace fairway::conformance
