// SPDX-License-Identifier: Apache-2.0

#include "command_line/log_options.h"

#include "base/log.h"

namespace fairway::command_line {

void add_log_flags(CLI::App& command, LogFlags& flags) {
  constexpr const char* group = "Log";
  command.add_option("--log-format", flags.format, "How a line of the log looks")
      ->type_name("text|json")
      ->capture_default_str()
      ->group(group);
  command.add_option("--log-level", flags.level, "What is worth a line")
      ->type_name("debug|info|warning|error")
      ->capture_default_str()
      ->group(group);
}

Result<void> configure_log(const LogFlags& flags) {
  const auto level = log::parse_level(flags.level);
  if (!level) return fail(level.error());
  const auto format = log::parse_format(flags.format);
  if (!format) return fail(format.error());
  log::configure(*level, *format);
  return {};
}

}  // namespace fairway::command_line
