// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "adm/follow/follower.h"
#include "adm/other_channels.h"
#include "adm/request.h"
#include "adm/show.h"
#include "cli/adm/channel_search.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"
#include "cli/adm/follow.h"
#include "cli/adm/upstream.h"
#include "command_line/stop_signals.h"

namespace fairway::cli {
namespace {

struct UpgradeOptions {
  ClusterFlags cluster;
  adm::ShowFlags show;
  adm::RequestFlags request;
  FollowFlags follow;
  UpstreamFlags upstream;
  const CLI::App* command = nullptr;
};

/// Asks for the update, if one is asked for, and follows it.
int upgrade_and_wait(UpgradeOptions& options, adm::CommandResult checked,
                     std::optional<std::chrono::seconds> limit) {
  const StopSignals signals;
  options.cluster.several_documents = true;
  const auto cluster = Cluster::open(options.cluster);
  if (!cluster) return report(cluster.error());
  const Limits limits = limit ? Limits::within(cluster->shared_client()->clock(), *limit, signals.token())
                              : Limits{.stop = signals.token()};
  const auto found = cluster->cluster_version(limits);
  if (!found) return report(found.error());
  if (!*found) return print_answer(adm::no_cluster_version_answer(true));
  const openshift::ClusterVersion& before = **found;
  openshift::ClusterVersion now = before;
  std::optional<adm::FollowTarget> target;
  if (options.request.asks()) {
    adm::CommandResult answer = adm::request(options.request, before, std::move(checked));
    if (answer.patch) {
      answer.patch->done = [&now, done = std::move(answer.patch->done)](const auto& patched) {
        now = patched;
        return done(patched);
      };
    } else if (!answer.failed()) {  // the cluster is at it, or on the way to it
      target = adm::FollowTarget{.version = std::string(before.desired().version()),
                                 .image = std::string(before.desired().image())};
    }
    if (const int code = cluster->finish(std::move(answer), before, limits); code != exit_ok) return code;
    std::fflush(stdout);
  }
  auto follower = adm::Follower::begin(before, now, std::move(target));
  if (follower) {
    return follow(*cluster, *std::move(follower), now, limit, options.cluster.output, options.show.caller,
                  limits);
  }
  adm::CommandResult nothing;
  nothing.out = "The cluster is not updating.\n";
  nothing.data = {{"updating", false}};
  return cluster->finish(std::move(nothing), before);
}

int upgrade(UpgradeOptions& options) {
  if (const auto refused = refuse_arguments(*options.command)) return print_answer(*refused);
  adm::CommandResult checked = adm::check(options.request);
  if (checked.failed()) return print_answer(checked);
  options.show.caller = caller_of(*options.command);
  options.show.wide = options.cluster.output == "wide";
  const auto limit = check(options.follow, options.request, options.cluster);
  if (!limit) return report(limit.error());
  if (options.follow.wait) return upgrade_and_wait(options, std::move(checked), *limit);
  return with_cluster_version(
      options.cluster, true, [&](const Cluster& cluster, const openshift::ClusterVersion& version) {
        if (options.request.asks()) return adm::request(options.request, version, std::move(checked));
        const auto channels = cluster.channels();
        adm::CommandResult answer = adm::show(options.show, version, channels);
        if (adm::is_outside_channel(version) && !cluster.is_recorded())
          adm::add_other_channels(search_channels(cluster, options.upstream, version, channels), version,
                                  answer, options.show.caller);
        return answer;
      });
}

void add_request_flags(CLI::App& command, adm::RequestFlags& flags) {
  constexpr const char* target = "Asking for an update";
  const auto flag = [&](const char* name, bool& value, const char* description) {
    // Never from the environment or a file of settings: asking is for the command line.
    command.add_flag(name, value, description)->group(target)->configurable(false);
  };
  command.add_option("--to", flags.to, "The version to update to, one of the updates that are shown")
      ->type_name("VERSION")
      ->group(target)
      ->configurable(false);
  command.add_option("--to-image", flags.to_image, "The release image to update to, by digest")
      ->type_name("IMAGE")
      ->group(target)
      ->configurable(false);
  flag("--to-latest", flags.to_latest, "Update to the highest version");
  flag("--to-multi-arch", flags.to_multi_arch, "Go from one architecture to several, at the same version");
  flag("--clear", flags.clear, "Take the request back; an update that has begun is undone");
  flag("--allow-not-recommended", flags.allow_not_recommended,
       "Also an update that is supported, but not recommended for this cluster");
  flag("--allow-explicit-upgrade", flags.allow_explicit_upgrade, "Also an image that is none of the updates");
  flag("--allow-upgrade-with-warnings", flags.allow_upgrade_with_warnings,
       "Even while the cluster is failing or being updated");
  flag("--force", flags.force,
       "Let the cluster neither verify the image nor check whether it is ready. Dangerous: the image runs "
       "with "
       "all rights");
}

}  // namespace

void add_adm(CLI::App& parent, Context& context) {
  CLI::App* adm = parent.add_subcommand("adm", "Administer a cluster");
  adm->require_subcommand(1);
  auto options = std::make_shared<UpgradeOptions>();
  CLI::App* command = add_command(*adm, context, "upgrade", "Show the updates of a cluster, or ask for one",
                                  "fairway adm upgrade --to 4.7.4", [options] { return upgrade(*options); });
  options->command = command;
  add_cluster_flags(*command, options->cluster, {"wide"});
  add_dry_run_flag(*command, options->cluster);
  command->add_flag("--include-not-recommended", options->show.include_not_recommended,
                    "Also show updates that are not recommended for this cluster");
  add_request_flags(*command, options->request);
  add_follow_flags(*command, options->follow);
  add_upstream_flags(*command, options->upstream);
  add_upgrade_channel(*command, context);
  add_upgrade_accept(*command, context);
  add_upgrade_rollback(*command, context);
  add_upgrade_recommend(*command, context);
  add_upgrade_status(*command, context);
  add_upgrade_why(*command, context);
  add_upgrade_plan(*command, context);
  add_upgrade_names(*command, context);
}

}  // namespace fairway::cli
