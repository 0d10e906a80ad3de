// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/plan_facts.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "cli/adm/deprecated_apis.h"
#include "k8s/view.h"

namespace fairway::cli {
namespace {

/// Largest number of deprecated APIs whose objects are looked at.
constexpr std::size_t max_apis = 20;

/// Reads the objects of a kind; what cannot be read is missing.
std::vector<k8s::Dynamic> read(const Cluster& cluster, const k8s::Resource& resource, const char* suffix,
                               std::string_view what, std::vector<std::string>& warnings) {
  if (cluster.is_recorded() && !std::filesystem::exists(cluster.file(suffix))) return {};
  auto objects = cluster.list(resource, suffix);
  if (objects) return *std::move(objects);
  warnings.push_back("What " + std::string(what) + " say is not known: " + objects.error().message);
  return {};
}

Result<ApiServerMetrics> read_metrics(const Cluster& cluster) {
  if (!cluster.is_recorded()) return ask_api_server_metrics(*cluster.shared_client());
  const std::string file = cluster.file("-metrics.txt");
  if (!std::filesystem::exists(file)) return ApiServerMetrics{};
  const auto text = read_file(file);
  if (!text) return fail(text.error());
  auto metrics = read_api_server_metrics(*text);
  if (!metrics) return fail(metrics.error().within("reading " + file));
  return metrics;
}

/// Asks the API server for its version of Kubernetes.
std::optional<std::uint64_t> ask_minor(const Cluster& cluster) {
  std::string body;
  if (cluster.is_recorded() || !cluster.shared_client()->send({.path = "/version"}, body))
    return std::nullopt;
  const auto version = json::parse(body);
  if (!version) return std::nullopt;
  return minor_of(json::find_string(*version, "minor").value_or(""));
}

}  // namespace

adm::ClusterFacts read_plan_facts(const Cluster& cluster, std::vector<std::string>& warnings) {
  adm::ClusterFacts facts;
  for (k8s::Dynamic& one :
       read(cluster, openshift::ClusterOperator::resource, "-co.yaml", "the cluster operators", warnings))
    facts.operators.emplace_back(one.release());
  facts.pools = read(cluster, adm::machine_config_pools, "-mcp.yaml", "the machine config pools", warnings);
  facts.budgets = read(cluster, adm::disruption_budgets, "-pdb.yaml", "the PodDisruptionBudgets", warnings);
  for (k8s::Dynamic& one : read(cluster, k8s::CustomResourceDefinition::resource, "-crd.yaml",
                                "the definitions of custom resources", warnings))
    facts.definitions.emplace_back(one.release());
  auto metrics = read_metrics(cluster);
  if (!metrics) {
    warnings.push_back("Which deprecated APIs are still requested is not known: " + metrics.error().message);
    return facts;
  }
  facts.deprecated_apis = std::move(metrics->deprecated_apis);
  facts.kubernetes_minor = metrics->kubernetes_minor;
  if (!facts.deprecated_apis.empty() && !facts.kubernetes_minor) facts.kubernetes_minor = ask_minor(cluster);
  if (cluster.is_recorded()) return facts;
  for (std::size_t i = 0; i < facts.deprecated_apis.size() && i < max_apis; ++i) {
    adm::DeprecatedApi& api = facts.deprecated_apis[i];
    if (const auto added = add_writers(*cluster.shared_client(), api); !added)
      warnings.push_back("Who writes objects by " + api.name() + " is not known: " + added.error().message);
  }
  return facts;
}

}  // namespace fairway::cli
