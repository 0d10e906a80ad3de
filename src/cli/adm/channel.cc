// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "adm/channel.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"
#include "command_line/model.h"

namespace fairway::cli {
namespace {

struct ChannelOptions {
  ClusterFlags cluster;
  adm::ChannelFlags flags;
  std::vector<std::string> arguments;
  const CLI::App* command = nullptr;
};

int channel(ChannelOptions& options) {
  if (const auto refused = refuse_unknown_flags(*options.command)) return print_answer(*refused);
  if (options.arguments.size() > 1) {
    adm::CommandResult answer;
    answer.fail_usage("multiple positional arguments given", command_line::called_name(*options.command));
    return print_answer(answer);
  }
  if (!options.arguments.empty()) options.flags.channel = options.arguments.front();
  return with_cluster_version(options.cluster, false,
                              [&](const Cluster&, const openshift::ClusterVersion& version) {
                                return adm::set_channel(options.flags, version);
                              });
}

}  // namespace

void add_upgrade_channel(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<ChannelOptions>();
  CLI::App* command =
      add_command(upgrade, context, "channel", "Choose the channel of a cluster, or none",
                  "fairway adm upgrade channel stable-4.7", [options] { return channel(*options); });
  options->command = command;
  command->add_option("channel", options->arguments, "The channel; without it, the cluster gets none")
      ->type_name("CHANNEL")
      ->configurable(false);
  command
      ->add_flag("--allow-explicit-channel", options->flags.allow_explicit_channel,
                 "Also a channel that the release is not known to be in")
      ->configurable(false);
  add_cluster_flags(*command, options->cluster);
  add_dry_run_flag(*command, options->cluster);
}

}  // namespace fairway::cli
