// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adm/status/status.h"
#include "base/clock.h"
#include "cli/adm/alerts.h"
#include "cli/adm/cluster.h"
#include "cli/adm/commands.h"
#include "command_line/terminal.h"
#include "k8s/kinds/workloads.h"
#include "openshift/cluster_operator.h"

namespace fairway::cli {
namespace {

struct StatusOptions {
  ClusterFlags cluster;
  adm::StatusFlags flags;
  std::string alerts;
  const CLI::App* command = nullptr;
};

constexpr k8s::Resource machine_config_pools{"machineconfiguration.openshift.io", "v1", "MachineConfigPool",
                                             "machineconfigpools", k8s::Scope::cluster};
constexpr k8s::Resource machine_configs{"machineconfiguration.openshift.io", "v1", "MachineConfig",
                                        "machineconfigs", k8s::Scope::cluster};
constexpr k8s::Resource nodes{"", "v1", "Node", "nodes", k8s::Scope::cluster};

/// Returns the configurations that nodes have or shall have: each is large, and most others are not needed.
Result<std::vector<k8s::Dynamic>> read_configs(const Cluster& cluster, const std::vector<k8s::Dynamic>& of) {
  if (cluster.is_recorded()) return cluster.list(machine_configs, "-mc.yaml");
  std::set<std::string> names;
  for (const k8s::Dynamic& node : of)
    for (const char* key : {"machineconfiguration.openshift.io/currentConfig",
                            "machineconfiguration.openshift.io/desiredConfig"})
      if (const auto name = node.annotation(key); !name.empty()) names.emplace(name);
  std::vector<k8s::Dynamic> configs;
  for (const std::string& name : names) {
    auto config = cluster.find(machine_configs, {"", name}, "");
    if (!config) return fail(config.error());
    if (*config) configs.push_back(**std::move(config));
  }
  return configs;
}

Result<std::string> read_operator_image(const Cluster& cluster) {
  constexpr const char* name = "machine-config-operator";
  const auto deployment = cluster.find(k8s::Deployment::resource, {"openshift-machine-config-operator", name},
                                       "-mco-deployment.yaml");
  if (!deployment) return fail(deployment.error());
  if (*deployment) {
    for (const k8s::View& container : (*deployment)->items("spec.template.spec.containers"))
      if (container.text("name") == name) return std::string(container.text("image"));
  }
  return std::string();
}

Result<adm::StatusInput> read_input(const StatusOptions& options, const Cluster& cluster,
                                    const openshift::ClusterVersion& version) {
  adm::StatusInput input{.cluster = version, .machine_now = Clock::system().now()};
  auto operators = cluster.list(openshift::ClusterOperator::resource, "-co.yaml");
  if (!operators) return fail(operators.error());
  for (k8s::Dynamic& one : *operators) input.operators.emplace_back(one.release());
  auto pools = cluster.list(machine_config_pools, "-mcp.yaml");
  if (!pools) return fail(pools.error());
  input.pools = *std::move(pools);
  auto all_nodes = cluster.list(nodes, "-node.yaml");
  if (!all_nodes) return fail(all_nodes.error());
  input.nodes = *std::move(all_nodes);
  auto configs = read_configs(cluster, input.nodes);
  if (!configs) return fail(configs.error());
  input.configs = *std::move(configs);
  auto image = read_operator_image(cluster);
  if (!image) return fail(image.error());
  input.machine_config_operator_image = *std::move(image);
  std::string alerts = options.alerts;
  if (alerts.empty() && cluster.is_recorded() && std::filesystem::exists(cluster.file("-alerts.json")))
    alerts = cluster.file("-alerts.json");
  if (!alerts.empty() || !cluster.is_recorded()) {
    auto text = read_alerts(cluster, alerts);
    if (text) {
      input.alerts = *std::move(text);
    } else if (!alerts.empty()) {
      return fail(text.error());
    } else if (text.error().code != ErrorCode::not_found) {
      warn("Unable to fetch alerts, ignoring alerts in 'Update Health': " + text.error().message);
    }
  }
  // Recorded objects are looked at when the last of them changed, and a moment later: what took exactly as
  // long as a limit is beyond it.
  input.recorded = cluster.is_recorded();
  input.now = cluster.is_recorded()
                  ? adm::latest_transition(version, input.operators) + std::chrono::nanoseconds(368'975)
                  : input.machine_now;
  return input;
}

int status(StatusOptions& options) {
  if (const auto refused = refuse_unknown_flags(*options.command)) return print_answer(*refused);
  options.flags.caller = caller_of(*options.command);
  if (const auto checked = adm::check(options.flags, options.command->remaining()); checked.failed())
    return print_answer(checked);
  return with_cluster_version(options.cluster, false,
                              [&](const Cluster& cluster, const openshift::ClusterVersion& version) {
                                const auto input = read_input(options, cluster, version);
                                if (input) return adm::status(options.flags, *input);
                                adm::CommandResult answer;
                                answer.fail(input.error().message);
                                return answer;
                              });
}

}  // namespace

void add_upgrade_status(CLI::App& upgrade, Context& context) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* command =
      add_command(upgrade, context, "status", "Show how an update is going",
                  "fairway adm upgrade status --details all", [options] { return status(*options); });
  options->command = command;
  command->add_option("--details", options->flags.details, "The sections to show in detail")
      ->type_name("none|all|nodes|health|operators")
      ->capture_default_str();
  command
      ->add_option("--alerts", options->alerts,
                   "A file with the answer of Prometheus's /api/v1/alerts, to show alerts that matter")
      ->type_name("FILE");
  add_cluster_flags(*command, options->cluster);
}

}  // namespace fairway::cli
