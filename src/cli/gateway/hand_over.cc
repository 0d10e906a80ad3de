#include "cli/gateway/hand_over.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "command_line/commands.h"

namespace fairway::cli {

int hand_over_to_gateway(char** argv) {
  std::error_code fault;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", fault);
  const std::filesystem::path program = own.parent_path() / "fairway-gateway";
  if (!fault) {
    ::execv(program.c_str(), argv);
    fault = std::error_code(errno, std::generic_category());
  }
  return command_line::report({ErrorCode::not_found, "running " + program.string() + ": " + fault.message() +
                                                         "; install fairway-gateway beside fairway"});
}

}  // namespace fairway::cli
