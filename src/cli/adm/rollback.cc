// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "adm/rollback.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"

namespace fairway::cli {
namespace {

struct RollbackOptions {
  ClusterFlags cluster;
  const CLI::App* command = nullptr;
};

int roll_back(const RollbackOptions& options) {
  if (const auto refused = refuse_arguments(*options.command)) return print_answer(*refused);
  return with_cluster_version(options.cluster, false,
                              [&](const Cluster&, const openshift::ClusterVersion& version) {
                                return adm::roll_back(version, caller_of(*options.command));
                              });
}

}  // namespace

void add_upgrade_rollback(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<RollbackOptions>();
  CLI::App* command = add_command(upgrade, context, "rollback", "Go back to the patch release before",
                                  "fairway adm upgrade rollback", [options] { return roll_back(*options); });
  options->command = command;
  add_cluster_flags(*command, options->cluster);
  add_dry_run_flag(*command, options->cluster);
}

}  // namespace fairway::cli
