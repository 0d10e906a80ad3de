// The embedded API server in a process of its own, which can be killed.
#pragma once

#include <string>
#include <vector>

namespace fairway::conformance {

/// How this program is called to be one: `ROLE FOLDER PORT MINUTES`. Its clock is ahead by these minutes.
inline constexpr const char* api_server_role = "api-server";

/// Serves on a port of loopback, with its database in the folder, until SIGTERM. Once it answers, the
/// certificates of clients are in the folder; those that are there are kept. SIGUSR1 moves its clock on, so
/// far that it forgets what was before. Returns the exit code.
int run_api_server(const std::vector<std::string>& arguments);

}  // namespace fairway::conformance
