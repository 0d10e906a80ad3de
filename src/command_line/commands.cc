// SPDX-License-Identifier: Apache-2.0

#include "command_line/commands.h"

#include <cstdio>
#include <string>
#include <utility>

#include "base/redact.h"
#include "base/text.h"

namespace fairway::command_line {

CLI::App* add_command(CLI::App& parent, Context& context, const char* name, const char* description,
                      const char* example, std::function<int()> action) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->footer(std::string("Example: ") + example);
  // CLI11 calls the callbacks of a command's own commands first.
  command->callback([&context, command, action = std::move(action)] {
    if (command->get_subcommands().empty()) context.action = action;
  });
  return command;
}

int report(const Error& error, int exit_code) {
  // It may quote names and contents of files: nothing of them may move the cursor or begin a line. And URLs,
  // as they were given or as a server has sent them.
  std::fprintf(stderr, "error: %s\n", printable(redact_urls(error.message), std::string::npos).c_str());
  return exit_code;
}

}  // namespace fairway::command_line
