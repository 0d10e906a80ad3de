// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "adm/other_channels.h"
#include "adm/plan/plan.h"
#include "adm/plan/progress.h"
#include "adm/plan/show_plan.h"
#include "adm/status/status.h"
#include "base/clock.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"
#include "cli/adm/plan_facts.h"
#include "cli/adm/plan_graphs.h"
#include "cli/adm/plan_judge.h"
#include "cli/adm/plan_watch.h"
#include "cli/source_options.h"
#include "command_line/stop_signals.h"

namespace fairway::cli {
namespace {

/// Time for what a plan looks at in the cluster, in all.
constexpr std::chrono::seconds facts_limit{60};

struct PlanOptions {
  ClusterFlags cluster;
  std::string to;
  PlanGraphFlags graphs;
  PlanJudgeFlags judge;
  PlanWatchFlags watch;
  const CLI::App* command = nullptr;
};

/// Returns what is wrong with the combination of the flags; std::nullopt: nothing.
std::optional<Error> fault_of(const PlanOptions& options) {
  const auto& inputs = options.graphs.inputs;
  const auto wrong = [](std::string message) { return Error{ErrorCode::invalid, std::move(message)}; };
  if (inputs.graph_data.empty() != inputs.releases.empty())
    return wrong("--graph-data and --releases go together: one of them is missing");
  if (!inputs.graph_data.empty() && !options.graphs.upstream.empty())
    return wrong("--graph-data and --upstream both say where the updates come from: leave one of them out");
  return std::nullopt;
}

/// Makes the plan of the cluster as it is now.
adm::CommandResult plan(const PlanOptions& options, PlanJudge& judge, PlanFacts& known,
                        const Cluster& cluster, const openshift::ClusterVersion& version,
                        const std::stop_token& stop = {}) {
  adm::CommandResult answer;
  const auto has_way = adm::is_later(version, options.to);
  if (!has_way) {
    answer.fail(has_way.error().message);
    return answer;
  }
  const adm::Caller caller = caller_of(*options.command, options.cluster);
  adm::PlanOrigin origin{.graphs = origin_of(version, options.graphs),
                         .arch = architecture_of_graphs(version),
                         .is_arch_known = !adm::architecture_of(version).empty(),
                         .judge = judge.name(),
                         .operator_service = other_service_of(version, options.graphs)};
  // Recorded objects are looked at when the last of them changed.
  const auto time_of = [&](const adm::ClusterFacts& facts) {
    return cluster.is_recorded() ? adm::latest_transition(version, facts.operators) : Clock::system().now();
  };
  // Nobody is asked for nothing.
  if (!*has_way) {
    origin.now = time_of({});
    return adm::show({.from = std::string(version.desired().version()), .to = options.to}, version, {},
                     origin, caller);
  }
  auto graphs = read_plan_graphs(cluster, version, options.graphs, stop);
  if (!graphs) {
    answer.fail(graphs.error().message);
    return answer;
  }
  std::vector<std::string> warnings = std::move(graphs->warnings);
  const auto made =
      adm::make_plan(graph::merge(std::exchange(graphs->channels, {}), graph::max_merged_entries, stop),
                     version, options.to, judge.begin(version, stop), {}, stop);
  if (!made) {
    answer.fail(made.error().message);
    return answer;
  }
  adm::ClusterFacts facts;
  if (!made->paths.empty())
    facts = known.read(cluster, warnings, Limits::within(Clock::system(), facts_limit, stop));
  origin.now = time_of(facts);
  answer = adm::show(*made, version, facts, origin, caller, stop);
  std::string err;
  for (const std::string& warning : warnings) err += "warning: " + warning + "\n";
  answer.err.insert(0, err);
  return answer;
}

int run(PlanOptions& options) {
  if (const auto refused = refuse_arguments(*options.command)) return print_answer(*refused);
  if (const auto fault = fault_of(options)) return report(*fault);
  const auto every = check(options.watch, options.cluster);
  if (!every) return report(every.error());
  options.graphs.inputs.sources.access.ca_files = options.graphs.service.ca_files;
  auto judge = PlanJudge::create(options.judge);
  if (!judge) return report(judge.error());
  PlanFacts facts;
  if (*every) {
    const StopSignals signals;
    options.cluster.several_documents = true;
    const auto cluster = Cluster::open(options.cluster);
    if (!cluster) return report(cluster.error());
    return watch_plan(
        *cluster, options.to, **every, options.cluster.output,
        [&](const openshift::ClusterVersion& version, const std::stop_token& stop) {
          return plan(options, *judge, facts, *cluster, version, stop);
        },
        signals.token());
  }
  return with_cluster_version(
      options.cluster, true, [&](const Cluster& cluster, const openshift::ClusterVersion& version) {
        adm::CommandResult answer = plan(options, *judge, facts, cluster, version);
        // Programs get the reason, too.
        if (answer.failed() && !answer.data.empty() && !options.cluster.output.empty())
          print_document(options.cluster.output, answer.data, false);
        return answer;
      });
}

}  // namespace

void add_upgrade_plan(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = add_command(
      upgrade, context, "plan", "Show the updates that lead to a release, their risks, and what to type",
      "fairway adm upgrade plan --to 4.8.14", [options] { return run(*options); });
  options->command = command;
  command->add_option("--to", options->to, "The version to reach, over several updates if need be")
      ->type_name("VERSION")
      ->required()
      ->configurable(false);
  constexpr const char* where = "Update service";
  command
      ->add_option("--upstream", options->graphs.upstream,
                   "The update service to ask (default: spec.upstream of the cluster): "
                   "https://HOST/api/upgrades_info/graph")
      ->type_name("URL")
      ->group(where);
  command
      ->add_option("--channel,--channels", options->graphs.channels,
                   "Channels to go over (repeatable, or joined by commas; default: all that the service has)")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(where);
  add_upstream_flags(*command, options->graphs.service);
  add_graph_data_option(*command, options->graphs.inputs.graph_data);
  add_releases_option(*command, options->graphs.inputs.releases);
  options->graphs.inputs.problem_url = graph::not_understood_url;
  // A service is asked without them.
  command->get_option("--graph-data")->required(false);
  command->get_option("--releases")->required(false);
  add_plan_judge_flags(*command, options->judge);
  add_plan_watch_flags(*command, options->watch);
  add_cluster_flags(*command, options->cluster);
}

}  // namespace fairway::cli
