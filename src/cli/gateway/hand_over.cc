// SPDX-License-Identifier: Apache-2.0

#include "cli/gateway/hand_over.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "command_line/commands.h"

namespace fairway::cli {

namespace {

/// Returns where fairway-gateway may be: beside the program that runs, as in a build folder, and where it is
/// installed for a program in bin/, in the order in which they are tried.
std::array<std::filesystem::path, 2> candidates(const std::filesystem::path& own) {
  const std::filesystem::path folder = own.parent_path();
  return {folder / "fairway-gateway", folder.parent_path() / "libexec" / "fairway" / "fairway-gateway"};
}

}  // namespace

int hand_over_to_gateway(char** argv) {
  std::error_code fault;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", fault);
  if (fault)
    return command_line::report(
        {ErrorCode::not_found, "reading /proc/self/exe, to find fairway-gateway: " + fault.message()});
  std::string tried;
  for (const std::filesystem::path& program : candidates(own)) {
    ::execv(program.c_str(), argv);
    const std::error_code reason(errno, std::generic_category());
    tried += (tried.empty() ? "" : ", ") + program.string() + ": " + reason.message();
  }
  return command_line::report(
      {ErrorCode::not_found, "running fairway-gateway: " + tried +
                                 "; install it there, for example with the package fairway-gateway"});
}

}  // namespace fairway::cli
