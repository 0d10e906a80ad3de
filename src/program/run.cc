// SPDX-License-Identifier: Apache-2.0

#include "program/run.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "command_line/help.h"
#include "command_line/run.h"
#include "command_line/settings.h"
#include "program/internal/kinds.h"
#include "program/internal/operate.h"
#include "program/internal/options.h"

namespace fairway::program {
namespace {

/// Adds `convert` to the command if the operator has kinds to convert.
void add_convert(CLI::App& command, command_line::Context& context, const Operator& parts,
                 const std::string& called) {
  if (!parts.kinds) return;
  const auto version = std::make_shared<std::string>();
  const auto quarantine = std::make_shared<bool>(false);
  CLI::App* added = command_line::add_command(
      command, context, "convert", "Convert the objects of standard input to another version",
      (called + " convert v1 <FILE").c_str(),
      [parts, version, quarantine] { return convert(parts, *version, *quarantine); });
  added->add_option("VERSION", *version, "The version, as v1 or GROUP/v1")->required();
  added->add_flag("--quarantine", *quarantine,
                  "Convert the originals of objects that an API server has quarantined");
}

}  // namespace

int run(const Operator& parts, int argc, char** argv) {
  CLI::App app{parts.description, parts.name};
  app.formatter(std::make_shared<command_line::HelpFormatter>());
  app.set_version_flag("--version", parts.name + " " + parts.release, "Print the version and exit");
  app.footer(std::string("In a cluster it needs no flags.\n\nExample: ") + parts.name +
             " --kubeconfig ~/.kube/config --namespace " + parts.name + "-system" +
             (has_webhooks(parts) ? " --webhook-url https://192.0.2.10:9443" : ""));
  Options options;
  add_flags(app, parts, options);
  command_line::Context context;
  context.root = &app;
  context.action = [&] { return operate(parts, options); };
  add_convert(app, context, parts, parts.name);
  command_line::add_settings(app, parts.name);
  return command_line::run(app, context, argc, argv);
}

CLI::App* add_to(CLI::App& app, command_line::Context& context, const Operator& parts,
                 const std::string& command) {
  const auto options = std::make_shared<Options>();
  const std::string called = app.get_name() + " " + command;
  CLI::App* added = command_line::add_command(
      app, context, command.c_str(), parts.description.c_str(),
      (called + " --kubeconfig ~/.kube/config --namespace " + parts.name + "-system").c_str(),
      [parts, options] { return operate(parts, *options); });
  add_flags(*added, parts, *options);
  add_convert(*added, context, parts, called);
  return added;
}

}  // namespace fairway::program
