// SPDX-License-Identifier: Apache-2.0

#include "adm/answer.h"

namespace fairway::adm {

void CommandResult::fail(std::string_view message) {
  exit_code = 1;
  err += "error: ";
  err += message;
  if (!err.ends_with('\n')) err += '\n';
}

void CommandResult::fail_usage(std::string_view message, std::string_view command) {
  fail(std::string(message) + "\nSee '" + std::string(command) + " -h' for help and examples");
}

}  // namespace fairway::adm
