// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adm/recommend/recommend.h"
#include "cli/adm/alerts.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"

namespace fairway::cli {
namespace {

struct RecommendOptions {
  ClusterFlags cluster;
  adm::RecommendFlags flags;
  std::vector<std::string> accept;
  std::string alerts;
  const CLI::App* command = nullptr;
};

using Prechecks = Result<std::vector<adm::Precheck>>;

/// Returns the prechecks of --alerts, of the file beside a recorded ClusterVersion, or of the cluster's own
/// monitoring.
Prechecks prechecks(const RecommendOptions& options, const Cluster& cluster) {
  std::string file = options.alerts;
  if (file.empty() && cluster.is_recorded()) {
    file = cluster.file("-alerts.json");
    if (!std::filesystem::exists(file)) return std::vector{adm::no_test_alerts(file)};
  }
  const auto text = read_alerts(cluster, file);
  if (!text) return fail(text.error());
  return adm::check_alerts(*text);
}

int recommend(RecommendOptions& options) {
  if (const auto refused = refuse_arguments(*options.command)) return print_answer(*refused);
  options.flags.caller = caller_of(*options.command);
  options.flags.accept = {options.accept.begin(), options.accept.end()};
  if (const auto checked = adm::check(options.flags); checked.failed()) return print_answer(checked);
  return with_cluster_version(options.cluster, true,
                              [&](const Cluster& cluster, const openshift::ClusterVersion& version) {
                                return adm::recommend(options.flags, version, prechecks(options, cluster));
                              });
}

}  // namespace

void add_upgrade_recommend(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<RecommendOptions>();
  CLI::App* command =
      add_command(upgrade, context, "recommend", "Show which update to take, and what to know first",
                  "fairway adm upgrade recommend --version 4.7.4", [options] { return recommend(*options); });
  options->command = command;
  command->add_option("--version", options->flags.version, "One release only")
      ->type_name("VERSION")
      ->configurable(false);
  command->add_flag("--show-outdated-releases", options->flags.show_outdated_releases,
                    "Also releases that later ones of the same minor version have replaced");
  command->add_flag("--quiet", options->flags.quiet, "With --version: only the names of unaccepted issues");
  command->add_option("--accept", options->accept, "Names of issues that are acceptable")
      ->type_name("ISSUE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--alerts", options->alerts,
                   "A file with the answer of Prometheus's /api/v1/alerts, to look for alerts that matter")
      ->type_name("FILE");
  add_cluster_flags(*command, options->cluster);
}

}  // namespace fairway::cli
