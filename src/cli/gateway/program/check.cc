// SPDX-License-Identifier: Apache-2.0

#include "cli/gateway/program/check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "command_line/input.h"
#include "command_line/terminal.h"
#include "gateway/check.h"

namespace fairway::cli {

int check_gateway_objects(const GatewayCheckOptions& options) {
  std::vector<gateway::SourceText> sources;
  for (const std::string& file : options.files) {
    auto text = command_line::read_input(file);
    if (!text) return command_line::report(text.error());
    sources.push_back({file == "-" ? "standard input" : file, *std::move(text)});
  }
  const auto checked =
      gateway::check(sources, Clock::system().now(),
                     {.addresses = options.addresses, .endpoint_cidrs = options.endpoint_cidrs});
  if (!checked) return command_line::report(checked.error());
  for (const std::string& warning : checked->warnings) command_line::warn(warning);
  command_line::print(options.output == "json" ? json::to_pretty_text(checked->list)
                                               : command_line::table(gateway::condition_rows(checked->list)));
  return command_line::exit_ok;
}

}  // namespace fairway::cli
