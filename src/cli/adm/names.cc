// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "adm/names.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"
#include "command_line/terminal.h"

namespace fairway::cli {
namespace {

struct NamesOptions {
  ClusterFlags cluster;
  std::string what;
};

/// Prints the names. A shell that completes a line shows no errors: there are no names then.
int names(const NamesOptions& options) {
  const auto cluster = Cluster::open(options.cluster);
  if (!cluster) return report(cluster.error());
  const auto found = cluster->cluster_version();
  if (!found) return report(found.error());
  if (!*found) return exit_ok;
  const auto all = options.what == "versions" ? adm::update_names(**found)
                                              : adm::channel_names(**found, cluster->channels());
  for (const std::string& name : adm::safe_names(all)) print(name + "\n");
  return exit_ok;
}

}  // namespace

void add_upgrade_names(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<NamesOptions>();
  CLI::App* command = add_command(
      upgrade, context, "names", "Print the versions or channels to choose from, for shell completion",
      "fairway adm upgrade names versions", [options] { return names(*options); });
  command->add_option("what", options->what, "Which names")
      ->type_name("versions|channels")
      ->check(CLI::IsMember({"versions", "channels"}).description(""))
      ->required()
      ->configurable(false);
  add_cluster_flags(*command, options->cluster);
  command->allow_extras(false);
}

}  // namespace fairway::cli
