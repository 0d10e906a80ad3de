// SPDX-License-Identifier: Apache-2.0

// fairway-gateway: the gateway controller. `fairway gateway` hands over to it with its own arguments; called
// by its name it does without the word gateway.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/gateway/commands.h"
#include "cli/gateway/program/check.h"
#include "cli/gateway/program/explain.h"
#include "cli/gateway/program/run.h"
#include "command_line/help.h"
#include "command_line/run.h"
#include "command_line/settings.h"

namespace fairway::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app{"The gateway controller of Fairway", "fairway"};
  app.formatter(std::make_shared<command_line::HelpFormatter>());
  command_line::Context context;
  context.root = &app;
  app.set_version_flag("--version", std::string("fairway ") + FAIRWAY_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  app.fallthrough();
  add_gateway(app, context,
              {.run = run_gateway, .check = check_gateway_objects, .explain = explain_gateway_route});
  command_line::add_settings(app, "fairway");

  std::vector<char*> words(argv, argv + argc);
  std::string gateway = "gateway";
  if (argc > 0 && std::filesystem::path(argv[0]).filename() == "fairway-gateway")
    words.insert(words.begin() + 1, gateway.data());
  words.push_back(nullptr);
  return command_line::run(app, context, static_cast<int>(words.size()) - 1, words.data());
}

}  // namespace

}  // namespace fairway::cli

int main(int argc, char** argv) {
  return fairway::cli::run(argc, argv);
}
