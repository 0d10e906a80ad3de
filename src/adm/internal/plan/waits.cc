// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/waits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "adm/internal/plan/plan_texts.h"
#include "adm/names.h"
#include "base/cut_text.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterOperator;
using openshift::ClusterVersion;

/// Most things of one kind that are named; the rest are counted.
constexpr std::size_t most_of_a_kind = 10;

std::string report_of(const std::optional<k8s::Condition>& condition) {
  if (!condition) return {};
  const std::string reason(condition->reason()), message(condition->message());
  return cut_text(reason.empty() || message.empty() ? reason + message : reason + ": " + message,
                  max_message);
}

/// Returns `form` with these words in the places of `{}`; std::nullopt if a shell could misread one of them.
std::optional<std::string> filled(std::string_view form, const std::vector<std::string_view>& words) {
  std::string command;
  std::size_t next = 0;
  for (std::size_t at = 0; at < form.size(); ++at) {
    if (!form.substr(at).starts_with("{}")) {
      command += form[at];
      continue;
    }
    const std::vector<std::string> safe = safe_names({std::string(words[next++])});
    if (safe.empty() || safe.front().empty()) return std::nullopt;
    command += safe.front();
    ++at;
  }
  return command;
}

/// The waits of a path, in the order in which they are found.
class Waits {
 public:
  Waits(const PlannedPath& path, const ClusterVersion& cluster, const ClusterFacts& facts,
        const Caller& caller)
      : path_(path), cluster_(cluster), facts_(facts), caller_(caller), waits_(path.hops.size()) {}

  std::vector<std::vector<HopWait>> all();

 private:
  /// Returns the first hop to another minor version; std::nullopt: there is none.
  std::optional<std::size_t> first_minor_hop() const {
    const auto at = std::ranges::find(path_.hops, true, &PlannedHop::changes_minor);
    if (at == path_.hops.end()) return std::nullopt;
    return static_cast<std::size_t>(at - path_.hops.begin());
  }
  void add(std::size_t hop, std::string kind, Blocker what) {
    waits_[hop].push_back({std::move(kind), std::move(what)});
  }
  /// Returns a command line of the client about an object; none if a shell could misread its name.
  std::vector<std::string> client_line(std::string_view form, std::string_view name) const {
    const auto words = filled(form, {name});
    return words ? std::vector{caller_.client_line(*words)} : std::vector<std::string>();
  }
  void add_state_of_cluster();
  void add_operators();
  void add_upgradeable();
  void add_pools();
  void add_deprecated_apis();
  void add_stored_versions();
  void add_budgets();
  std::optional<std::size_t> hop_without(const DeprecatedApi& api) const;

  const PlannedPath& path_;
  const ClusterVersion& cluster_;
  const ClusterFacts& facts_;
  const Caller& caller_;
  std::vector<std::vector<HopWait>> waits_;
};

/// Adds what keeps the cluster from beginning any update.
void Waits::add_state_of_cluster() {
  const auto progressing = cluster_.condition("Progressing"), failing = cluster_.condition("Failing");
  // The client asks for no update then, whichever field is meant.
  if (const auto invalid = cluster_.condition("Invalid"); invalid && invalid->is_true()) {
    std::vector<std::string> commands{caller_.client_line("edit clusterversion version")};
    if (cluster_.has_desired_update()) commands.push_back(caller_.upgrade_line("--clear"));
    add(0, "invalid",
        {.what = "the spec of ClusterVersion is not valid",
         .since = invalid->last_transition(),
         .message = report_of(invalid),
         .help = std::string("Correct the fields that the message names") +
                 (cluster_.has_desired_update() ? ", or take the request for an update back." : "."),
         .commands = std::move(commands)});
  }
  if (progressing && progressing->is_true()) {
    add(0, "running",
        {.what = "the update to " + std::string(cluster_.desired().version()) + " runs",
         .since = progressing->last_transition(),
         .message = report_of(progressing),
         .help = "Wait until it is completed.",
         .commands = {caller_.upgrade_line("why"), caller_.upgrade_line("--wait")}});
  }
  if (failing && failing->is_true()) {
    add(0, "failing",
        {.what = "the release that the cluster has fails",
         .since = failing->last_transition(),
         .message = report_of(failing),
         .help = "Put it right first: an update of a failing cluster may not come to its end.",
         .commands = {caller_.upgrade_line("why")}});
  }
}

void Waits::add_operators() {
  for (const ClusterOperator& one : facts_.operators) {
    const auto available = one.condition("Available"), degraded = one.condition("Degraded");
    const bool is_unavailable = available && available->is_false();
    if (!is_unavailable && !(degraded && degraded->is_true())) continue;
    const auto& condition = is_unavailable ? available : degraded;
    const std::string name(one.name());
    add(0, "clusterOperator",
        {.what = "cluster operator " + name + (is_unavailable ? " is not available" : " is degraded"),
         .since = condition->last_transition(),
         .message = report_of(condition),
         .help = "Put right what its message names: an update waits until each operator is available and not "
                 "degraded.",
         .commands = client_line("describe clusteroperator {}", name)});
  }
}

/// Adds what keeps the cluster from changing its minor version.
void Waits::add_upgradeable() {
  const auto hop = first_minor_hop();
  if (!hop) return;
  std::vector<std::string> unmanaged;
  for (const k8s::View& one : cluster_.items("spec.overrides"))
    if (one.flag("unmanaged"))
      unmanaged.push_back(std::string(one.text("kind")) + " " +
                          (one.text("namespace").empty() ? "" : std::string(one.text("namespace")) + "/") +
                          std::string(one.text("name")));
  if (!unmanaged.empty()) {
    add(*hop, "overrides",
        {.what = "spec.overrides takes objects away from the operator",
         .message = cut_text(join(unmanaged, ", "), max_message),
         .help = "Remove the overrides: with them the cluster refuses another minor version.",
         .commands = {caller_.client_line("edit clusterversion version")}});
  }
  const auto upgradeable = cluster_.condition("Upgradeable");
  if (!upgradeable || !upgradeable->is_false()) return;
  if (!unmanaged.empty() && upgradeable->reason() == "ClusterVersionOverridesSet") return;
  add(*hop, "upgradeable",
      {.what = "Upgradeable=False",
       .since = upgradeable->last_transition(),
       .message = report_of(upgradeable),
       .help = "Put right what the message names: until then the cluster refuses another minor version.",
       .commands = {caller_.client_line("get clusteroperators")}});
}

void Waits::add_pools() {
  for (const k8s::Dynamic& pool : facts_.pools) {
    const std::string name(pool.name());
    const auto degraded = k8s::find_condition(pool, "Degraded");
    if (degraded && degraded->is_true()) {
      add(0, "machineConfigPool",
          {.what = "machine config pool " + name + " is degraded",
           .since = degraded->last_transition(),
           .message = report_of(degraded),
           .help = "Put right what its message names: nodes of a degraded pool are not updated.",
           .commands = client_line("describe machineconfigpool {}", name)});
    } else if (pool.flag("spec.paused")) {
      add(0, "machineConfigPool",
          {.what = "machine config pool " + name + " is paused",
           .help =
               "Its nodes stay at the release that they have until the pool is resumed. Nodes that are too "
               "old for the release make Upgradeable=False.",
           .commands = client_line(
               "patch machineconfigpool {} --type merge -p '{\"spec\":{\"paused\":false}}'", name),
           .holds_up = false});
    }
  }
}

/// Returns the first hop to a release that does not serve an API any more. Each minor version of a release
/// brings the next minor version of Kubernetes. Without the one of now, it is the first that may.
std::optional<std::size_t> Waits::hop_without(const DeprecatedApi& api) const {
  if (!api.removed_in) return std::nullopt;
  if (!facts_.kubernetes_minor) return first_minor_hop();
  std::uint64_t minor = *facts_.kubernetes_minor;
  for (std::size_t i = 0; i < path_.hops.size(); ++i) {
    if (path_.hops[i].changes_minor) ++minor;
    if (minor >= *api.removed_in) return i;
  }
  return std::nullopt;
}

void Waits::add_deprecated_apis() {
  for (const DeprecatedApi& api : facts_.deprecated_apis) {
    const auto hop = hop_without(api);
    if (!hop) continue;
    std::string message = "Kubernetes 1." + std::to_string(*api.removed_in) + " does not serve it any more.";
    if (!api.writers.empty())
      message += " Objects were written by it: " + join(api.writers, ", ") +
                 (api.has_more_writers ? ", and more" : "") + ".";
    add(*hop, "deprecatedApi",
        {.what = "the API " + api.name() + " is still requested",
         .message = std::move(message),
         .help = "Find who requests it, and move them to a later version of the API first.",
         .commands = {caller_.client_line("get --raw /metrics") +
                      " | grep apiserver_requested_deprecated_apis"},
         .holds_up = facts_.kubernetes_minor.has_value()});
  }
}

/// Adds definitions with objects that may be stored in other versions than the storage version: a release
/// that drops one of these versions cannot be applied (docs/migration.md).
void Waits::add_stored_versions() {
  const std::size_t hop = first_minor_hop().value_or(0);
  std::size_t found = 0;
  std::vector<std::string> more;
  for (const auto& definition : facts_.definitions) {
    std::vector<std::string> old, commands;
    for (const std::string_view version : definition.stored_versions()) {
      if (version == definition.storage_version()) continue;
      old.emplace_back(version);
      const auto words =
          filled("migrate --group {} --kind {} --from {} --to {}",
                 {definition.group(), definition.defined_kind(), version, definition.storage_version()});
      if (words && !caller_.program.empty())
        commands.push_back(caller_.program + " " + *words + caller_.cluster);
    }
    if (old.empty()) continue;
    const std::string name(definition.name());
    if (++found > most_of_a_kind) {
      more.push_back(name);
      continue;
    }
    add(hop, "storedVersions",
        {.what = "objects of " + name + " may be stored as " + join(old, ", "),
         .help = "Migrate them: a release whose definition has no such version any more cannot be applied.",
         .commands = std::move(commands),
         .holds_up = false});
  }
  if (!more.empty()) {
    add(hop, "storedVersions",
        {.what =
             "objects of " + std::to_string(more.size()) + " more definitions may be stored in old versions",
         .message = cut_text(join(more, ", "), max_message),
         .help = "Migrate them, too.",
         .holds_up = false});
  }
}

/// Adds budgets that allow no disruption: a node with such a pod is not drained.
void Waits::add_budgets() {
  std::vector<std::string> names;
  for (const k8s::Dynamic& budget : facts_.budgets) {
    if (budget.integer("status.expectedPods") <= 0 || budget.integer("status.disruptionsAllowed") > 0)
      continue;
    names.push_back(std::string(budget.namespace_name()) + "/" + std::string(budget.name()) + " (" +
                    std::to_string(budget.integer("status.currentHealthy")) + " of " +
                    std::to_string(budget.integer("status.expectedPods")) + " pods are healthy, " +
                    std::to_string(budget.integer("status.desiredHealthy")) + " have to be)");
  }
  if (names.empty()) return;
  const std::size_t count = names.size();
  if (count > most_of_a_kind) {
    names.resize(most_of_a_kind);
    names.push_back("and " + std::to_string(count - most_of_a_kind) + " more");
  }
  add(0, "disruptionBudget",
      {.what = (count == 1 ? std::string("a PodDisruptionBudget allows")
                           : std::to_string(count) + " PodDisruptionBudgets allow") +
               " no disruption",
       .message = join(names, ", "),
       .help = "An update that restarts nodes cannot drain those with such pods. Add replicas, make the pods "
               "healthy, or change the budget.",
       .commands = {caller_.client_line("get poddisruptionbudgets -A")},
       .holds_up = false});
}

std::vector<std::vector<HopWait>> Waits::all() {
  if (path_.hops.empty()) return {};
  add_state_of_cluster();
  add_operators();
  add_upgradeable();
  add_pools();
  add_deprecated_apis();
  add_stored_versions();
  add_budgets();
  for (auto& of_hop : waits_)
    std::ranges::stable_partition(of_hop, [](const HopWait& one) { return one.what.holds_up; });
  return std::move(waits_);
}

}  // namespace

std::vector<std::vector<HopWait>> waits_of(const PlannedPath& path, const ClusterVersion& cluster,
                                           const ClusterFacts& facts, const Caller& caller) {
  return Waits(path, cluster, facts, caller).all();
}

}  // namespace fairway::adm
