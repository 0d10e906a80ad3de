// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/plan_facts.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/adm/deprecated_apis.h"
#include "k8s/view.h"

namespace fairway::cli {
namespace {

/// Largest number of deprecated APIs whose objects are looked at.
constexpr std::size_t max_apis = 20;

/// Longest time of one request, so that one without an answer leaves the others their time.
constexpr std::chrono::seconds longest{15};

/// One reading of the facts.
class Reading {
 public:
  /// `again`: true if there is what was read before.
  Reading(const Cluster& cluster, std::vector<std::string>& warnings, const Limits& limits, bool again)
      : cluster_(cluster), warnings_(warnings), limits_(limits), again_(again) {}

  template <typename Object>
  void read(const k8s::Resource& resource, const char* suffix, std::string_view what,
            std::vector<Object>& objects) const;
  void read_metrics(adm::ClusterFacts& facts) const;

 private:
  /// Adds a warning: something is not known, and why.
  void warn(const std::string& what, const Error& error) const {
    warnings_.push_back(what + (again_ ? " is not known anew, and taken as before: " : " is not known: ") +
                        error.message);
  }
  Limits limits() const { return limits_.at_most(Clock::system(), longest); }
  Result<ApiServerMetrics> metrics() const;
  std::optional<std::uint64_t> ask_minor() const;
  void add_writers(adm::DeprecatedApi& api, const std::vector<adm::DeprecatedApi>& before) const;

  const Cluster& cluster_;
  std::vector<std::string>& warnings_;
  const Limits& limits_;
  const bool again_;
};

/// Reads the objects of a kind. Where that fails, those of the last time stay.
template <typename Object>
void Reading::read(const k8s::Resource& resource, const char* suffix, std::string_view what,
                   std::vector<Object>& objects) const {
  if (cluster_.is_recorded() && !std::filesystem::exists(cluster_.file(suffix))) return;
  auto list = cluster_.list(resource, suffix, limits());
  if (!list) {
    warn("What " + std::string(what) + " say", list.error());
    return;
  }
  objects.clear();
  for (k8s::Dynamic& one : *list) objects.emplace_back(one.release());
}

Result<ApiServerMetrics> Reading::metrics() const {
  if (!cluster_.is_recorded()) return ask_api_server_metrics(*cluster_.shared_client(), limits());
  const std::string file = cluster_.file("-metrics.txt");
  if (!std::filesystem::exists(file)) return ApiServerMetrics{};
  const auto text = read_file(file);
  if (!text) return fail(text.error());
  auto metrics = read_api_server_metrics(*text);
  if (!metrics) return fail(metrics.error().within("reading " + file));
  return metrics;
}

/// Asks the API server for its version of Kubernetes.
std::optional<std::uint64_t> Reading::ask_minor() const {
  std::string body;
  if (cluster_.is_recorded() || !cluster_.shared_client()->send({.path = "/version"}, body, limits()))
    return std::nullopt;
  const auto version = json::parse(body);
  if (!version) return std::nullopt;
  return minor_of(json::find_string(*version, "minor").value_or(""));
}

/// Adds who writes objects by an API; those of the last time, where that cannot be read.
void Reading::add_writers(adm::DeprecatedApi& api, const std::vector<adm::DeprecatedApi>& before) const {
  const auto added = cli::add_writers(*cluster_.shared_client(), api, limits());
  if (added) return;
  warn("Who writes objects by " + api.name(), added.error());
  const auto known = std::ranges::find(before, api.name(), &adm::DeprecatedApi::name);
  if (known == before.end()) return;
  api.writers = known->writers;
  api.has_more_writers = known->has_more_writers;
}

void Reading::read_metrics(adm::ClusterFacts& facts) const {
  auto read = metrics();
  if (!read) {
    warn("Which deprecated APIs are still requested", read.error());
    return;
  }
  const std::vector<adm::DeprecatedApi> before =
      std::exchange(facts.deprecated_apis, std::move(read->deprecated_apis));
  if (read->kubernetes_minor) {
    facts.kubernetes_minor = read->kubernetes_minor;
  } else if (!facts.deprecated_apis.empty()) {
    if (const auto minor = ask_minor()) facts.kubernetes_minor = minor;
  }
  if (cluster_.is_recorded()) return;
  for (std::size_t i = 0; i < facts.deprecated_apis.size() && i < max_apis; ++i)
    add_writers(facts.deprecated_apis[i], before);
}

}  // namespace

const adm::ClusterFacts& PlanFacts::read(const Cluster& cluster, std::vector<std::string>& warnings,
                                         const Limits& limits) {
  const Reading reading(cluster, warnings, limits, std::exchange(has_read_, true));
  reading.read(openshift::ClusterOperator::resource, "-co.yaml", "the cluster operators", known_.operators);
  reading.read(adm::machine_config_pools, "-mcp.yaml", "the machine config pools", known_.pools);
  reading.read(adm::disruption_budgets, "-pdb.yaml", "the PodDisruptionBudgets", known_.budgets);
  reading.read(k8s::CustomResourceDefinition::resource, "-crd.yaml", "the definitions of custom resources",
               known_.definitions);
  reading.read_metrics(known_);
  return known_;
}

}  // namespace fairway::cli
