// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>

#include "cli/graph/graph_commands.h"
#include "command_line/terminal.h"
#include "updateservice/guards.h"

namespace fairway::cli {

namespace {

struct GraphAcceptOptions {
  std::string entry, directory;
};

int run(const GraphAcceptOptions& options) {
  if (const auto done = updateservice::accept(options.directory, options.entry); !done) {
    return report(done.error(), done.error().code == ErrorCode::invalid ? exit_usage : exit_failed);
  }
  print("accepted " + options.entry + "; the service takes it up at once\n");
  return exit_ok;
}

}  // namespace

void add_graph_accept(CLI::App& graph, Context& context) {
  auto options = std::make_shared<GraphAcceptOptions>();
  CLI::App* command =
      add_command(graph, context, "accept",
                  "Let a service take what it holds back: a widening, or another image for a version",
                  "fairway graph accept 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --data /var/lib/fairway",
                  [options] { return run(*options); });
  command
      ->add_option(
          "entry", options->entry,
          "ID of a widening or of a first graph, or VERSION+ARCH=sha256:HEX, as /problems or /readyz "
          "has it")
      ->type_name("ID")
      ->required();
  command->add_option("--data", options->directory, "The service's --data: this replica accepts, no other")
      ->type_name("DIR")
      ->required();
}

}  // namespace fairway::cli
