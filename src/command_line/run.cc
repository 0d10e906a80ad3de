// SPDX-License-Identifier: Apache-2.0

#include "command_line/run.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "base/redact.h"
#include "command_line/internal/empty_values.h"
#include "command_line/internal/suggest.h"

namespace fairway::command_line {
namespace {

/// Returns the words behind the program's name in reverse order, as CLI11 expects them, with the --config of
/// its environment variable. CLI11 reads the file before the environment, and so would not find a file that
/// is named there.
std::vector<std::string> arguments(const CLI::App& app, std::vector<std::string> list) {
  separate_empty_values(app, list);
  const CLI::Option* config = app.get_option_no_throw("--config");
  const char* file = config != nullptr ? std::getenv(config->get_envname().c_str()) : nullptr;
  const bool named = std::ranges::any_of(
      list, [](const std::string& one) { return one == "--config" || one.starts_with("--config="); });
  if (file != nullptr && *file != '\0' && !named) list.insert(list.begin(), std::string("--config=") + file);
  std::ranges::reverse(list);
  return list;
}

int parse_and_run(CLI::App& app, const Context& context, const std::vector<std::string>& words) {
  try {
    app.parse(arguments(app, words));
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "error: %s\n", redact_urls(explain_parse_error(app, error, words)).c_str());
    return exit_usage;
  }
  const int exit_code = context.action ? context.action() : exit_usage;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return report(
        {ErrorCode::unavailable, std::string("writing to standard output: ") + std::strerror(errno)});
  }
  return exit_code;
}

}  // namespace

Result<void> reparse(CLI::App& app, const std::vector<std::string>& words) {
  try {
    app.parse(arguments(app, words));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::invalid, explain_parse_error(app, error, words));
  }
  return {};
}

int run(CLI::App& app, const Context& context, int argc, char** argv) {
  try {
    return parse_and_run(app, context, {argv + 1, argv + argc});
  } catch (const std::exception& fault) {
    return report({ErrorCode::internal,
                   "a fault of " + app.get_name() + " itself: " + fault.what() + "; please report it"});
  }
}

}  // namespace fairway::command_line
