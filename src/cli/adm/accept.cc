// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "adm/accept.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"

namespace fairway::cli {
namespace {

struct AcceptOptions {
  ClusterFlags cluster;
  adm::AcceptFlags flags;
  const CLI::App* command = nullptr;
};

int accept(AcceptOptions& options) {
  if (const auto refused = refuse_unknown_flags(*options.command)) return print_answer(*refused);
  options.flags.caller = caller_of(*options.command);
  adm::AcceptedRisks risks;
  if (const auto checked = adm::check(options.flags, risks); checked.failed()) return print_answer(checked);
  return with_cluster_version(options.cluster, false,
                              [&](const Cluster&, const openshift::ClusterVersion& version) {
                                return adm::accept(options.flags, risks, version);
                              });
}

}  // namespace

void add_upgrade_accept(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<AcceptOptions>();
  CLI::App* command =
      add_command(upgrade, context, "accept", "Accept risks of updates, or stop doing so",
                  "fairway adm upgrade accept RiskA,RiskB-", [options] { return accept(*options); });
  options->command = command;
  command->add_option("risks", options->flags.arguments, "Names of risks; one with - behind it is taken away")
      ->type_name("RISK,...")
      ->configurable(false);
  command->add_flag("--replace", options->flags.replace, "Accept these risks and no others")
      ->configurable(false);
  command->add_flag("--clear", options->flags.clear, "Accept no risks")->configurable(false);
  add_cluster_flags(*command, options->cluster);
  add_dry_run_flag(*command, options->cluster);
}

}  // namespace fairway::cli
