// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/follow.h"

#include <cstdio>
#include <utility>

#include "adm/follow/server_troubles.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/adm/follow_lines.h"
#include "cli/duration_option.h"
#include "command_line/commands.h"
#include "kube/wait/wait_until.h"

namespace fairway::cli {

using namespace command_line;

namespace {

/// Ends the command with an error, and says that the update goes on.
int end(const std::string& why, const adm::FollowTarget& target, const adm::Caller& caller) {
  report({ErrorCode::cancelled, why});
  std::fprintf(stderr, "The update to %s goes on in the cluster. To follow it again: `%s --wait`.\n",
               printable(target.name()).c_str(), caller.upgrade.c_str());
  return exit_failed;
}

}  // namespace

void add_follow_flags(CLI::App& command, FollowFlags& flags) {
  constexpr const char* group = "Following an update";
  command
      .add_flag("--wait", flags.wait,
                "Follow the update that is asked for, or else the one that runs, to its outcome")
      ->group(group)
      ->configurable(false);
  command
      .add_option(
          "--timeout", flags.timeout,
          "With --wait: end with an error if the update takes longer, as 2h or 90m; the update goes on")
      ->type_name("DURATION")
      ->group(group)
      ->configurable(false);
}

Result<std::optional<std::chrono::seconds>> check(const FollowFlags& flags, const adm::RequestFlags& request,
                                                  const ClusterFlags& cluster) {
  if (!flags.wait) {
    if (flags.timeout.empty()) return std::nullopt;
    return fail(ErrorCode::invalid, "--timeout is a limit of --wait, which is missing");
  }
  const auto refuse = [](const char* flag, const char* why) {
    return fail(ErrorCode::invalid, std::string("--wait may not be used with ") + flag + ": " + why);
  };
  if (request.force && !request.asks())
    return refuse("--force alone", "--force is of a request; add --to, --to-image or --to-latest");
  if (request.clear) return refuse("--clear", "it follows an update, and this takes one back");
  if (request.to_multi_arch)
    return refuse("--to-multi-arch",
                  "which image the cluster will have is not known; follow it by `status` instead");
  if (cluster.dry_run) return refuse("--dry-run", "nothing is requested, so there is nothing to wait for");
  if (!cluster.mock.empty())
    return refuse("--mock-clusterversion", "a recorded ClusterVersion never changes");
  if (flags.timeout.empty()) return std::nullopt;
  const auto limit = duration_of<std::chrono::seconds>("timeout", flags.timeout);
  if (!limit) return fail(limit.error());
  return *limit;
}

int follow(const Cluster& cluster, adm::Follower follower, const openshift::ClusterVersion& now,
           std::optional<std::chrono::seconds> limit, const std::string& output, const adm::Caller& caller,
           const Limits& limits) {
  const auto& client = cluster.shared_client();
  Clock& clock = client->clock();
  // What fails and is tried again is told here, in words.
  log::configure(log::Level::off, log::Format::text);
  FollowLines lines(output);
  adm::ServerTroubles troubles;
  const adm::FollowTarget target = follower.target();
  adm::FollowStep last;
  const auto look = [&](const openshift::ClusterVersion* cluster_version) {
    troubles.answered();
    last =
        cluster_version != nullptr
            ? follower.see(*cluster_version)
            : adm::FollowStep{.message = "the cluster has no ClusterVersion `version`; waiting until it has"};
    lines.show(target, last, clock.now());
    return last.has_ended() ? k8s::Readiness::ready() : k8s::Readiness::waiting(last.message);
  };
  const auto on_problem = [&](const kube::ApiError& problem) {
    adm::ServerTroubles::Verdict verdict =
        troubles.take(problem.status.code(), problem.message, clock.steady());
    if (!verdict.warning.empty()) lines.warn(verdict.warning);
    return std::move(verdict.end);
  };
  Result<std::optional<openshift::ClusterVersion>> waited;
  if (!look(&now).is_ready()) {
    waited = kube::wait_until<openshift::ClusterVersion>(
        client, {"", std::string(openshift::ClusterVersion::object_name)}, look, limits, on_problem);
  }
  lines.clear();
  if (waited && !last.has_failed()) return exit_ok;
  if (waited) {
    report({ErrorCode::conflict, last.message});
    std::fputs(adm::advice_after(last, caller).c_str(), stderr);
    return exit_failed;
  }
  const std::string state = adm::line_of(last);
  if (waited.error().code == ErrorCode::cancelled)
    return end("stopped following the update to " + target.name() + " (" + state + ")", target, caller);
  if (waited.error().code == ErrorCode::deadline_exceeded) {
    return end("the update to " + target.name() + " has not ended within " + format_duration(*limit) +
                   "; it is at: " + state,
               target, caller);
  }
  return end(waited.error().message, target, caller);
}

}  // namespace fairway::cli
