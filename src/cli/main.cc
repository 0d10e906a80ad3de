// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/adm/cluster.h"
#include "cli/adm/command_words.h"
#include "cli/adm/commands.h"
#include "cli/adm/flag_values.h"
#include "cli/commands.h"
#include "cli/envtest/commands.h"
#include "cli/gateway/commands.h"
#include "cli/gateway/hand_over.h"
#include "command_line/help.h"
#include "command_line/run.h"
#include "command_line/settings.h"

namespace fairway::cli {
namespace {

constexpr const char* description =
    "Fairway marks the safe channel: it tells every cluster which release it may move to, and why.";

constexpr const char* footer =
    "Settings: a flag, else the environment variable of its name (--data-dir is FAIRWAY_DATA_DIR), else the "
    "TOML file\n"
    "of --config, with a section a command. An unknown key in that file is an error.\n\n"
    "Exit codes: 0 it went well, 1 it did not, 2 the command line or a setting is wrong.\n\n"
    "Example: fairway graph show --graph-data examples/graph-data --releases examples/releases.json "
    "--channel stable-4.7";

/// Removes the command that `fairway apiserver ... -- COMMAND` runs from the words, and returns it. An option
/// that takes several values would end at `--`, and the flags behind it would be parsed as our own.
std::vector<std::string> take_other_command(std::vector<char*>& words) {
  const auto dashes = std::ranges::find(words, std::string_view("--"),
                                        [](const char* word) { return std::string_view(word); });
  const bool runs_another = std::any_of(
      words.begin(), dashes, [](const char* word) { return std::string_view(word) == "apiserver"; });
  if (!runs_another || dashes == words.end()) return {};
  std::vector<std::string> command(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return command;
}

int run(int argc, char** argv) {
  CLI::App app{description, "fairway"};
  app.formatter(std::make_shared<HelpFormatter>());
  Context context;
  context.root = &app;
  app.set_version_flag("--version", std::string("fairway ") + FAIRWAY_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(footer);

  add_serve(app, context);
  add_operator(app, context);
  add_adm(app, context);
  add_graph(app, context);
  add_lint(app, context);
  add_release(app, context);
  add_convert(app, context);
  add_completion(app, context);
  add_man(app, context);

  add_promql(app, context);
  add_risk(app, context);
  add_migrate(app, context);
  add_conversions(app, context);
  add_new(app, context);
  add_apiserver(app, context);
  add_envtest(app, context);
  add_gateway(app, context,
              {.run = [argv](const GatewayOptions&) { return hand_over_to_gateway(argv); },
               .check = [argv](const GatewayCheckOptions&) { return hand_over_to_gateway(argv); },
               .explain = [argv](const GatewayExplainOptions&) { return hand_over_to_gateway(argv); }});
  add_settings(app, "fairway");
  if (argc > 0) name_as_called(app, argv[0]);
  std::vector<char*> words = as_kubectl_reads({argv, argv + argc}, app);
  context.other_command = take_other_command(words);
  if (const auto refused = refuse_flag_values(app, words)) return print_answer(*refused);
  words.push_back(nullptr);
  return command_line::run(app, context, static_cast<int>(words.size()) - 1, words.data());
}

}  // namespace

}  // namespace fairway::cli

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (const auto code = fairway::cli::run_envtest_program(words)) return *code;
  return fairway::cli::run(argc, argv);
}
