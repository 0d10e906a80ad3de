#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "command_line/help.h"
#include "command_line/suggest.h"

namespace {

using namespace fairway::cli;

constexpr const char* description =
    "Fairway marks the safe channel: it tells every cluster which release it may move to, and why.";

constexpr const char* footer =
    "Settings: a flag, else the environment variable of its name (--data-dir is FAIRWAY_DATA_DIR), else the "
    "TOML file\n"
    "of --config, with a section a command. An unknown key in that file is an error.\n\n"
    "Exit codes: 0 it went well, 1 it did not, 2 the command line or a setting is wrong.\n\n"
    "Example: fairway graph show --graph-data examples/graph-data --releases examples/releases.json "
    "--channel stable-4.7";

/// Every long option gets the environment variable of its name, so that no command has to think of it.
void name_environment(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || !option->get_configurable() || !option->get_envname().empty())
      continue;
    std::string name = "FAIRWAY_";
    for (const char c : option->get_lnames().front()) {
      name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    option->envname(name);
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) name_environment(*command);
}

int run(int argc, char** argv) {
  CLI::App app{description, "fairway"};
  app.formatter(std::make_shared<HelpFormatter>());
  Context context;
  context.root = &app;
  app.set_version_flag("--version", std::string("fairway ") + FAIRWAY_VERSION, "Print the version and exit");
  app.set_config("--config", "", "TOML file with settings")->type_name("FILE")->envname("FAIRWAY_CONFIG");
  app.allow_config_extras(false);
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(footer);

  add_serve(app, context);
  add_graph(app, context);
  add_lint(app, context);
  add_convert(app, context);
  add_completion(app, context);
  add_man(app, context);

  add_promql(app, context);
  add_risk(app, context);
  add_migrate(app, context);
  add_conversions(app, context);
  name_environment(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "error: %s\n", explain_parse_error(app, error, argc, argv).c_str());
    return exit_usage;
  }
  const int exit_code = context.action ? context.action() : exit_usage;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return report({fairway::ErrorCode::unavailable,
                   std::string("writing to standard output: ") + std::strerror(errno)});
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "error: a fault of fairway itself: %s; please report it\n", fault.what());
    return exit_failed;
  }
}
