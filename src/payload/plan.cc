// SPDX-License-Identifier: Apache-2.0

#include "payload/plan.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "openshift/cluster_operator.h"
#include "payload/selection.h"

namespace fairway::payload {

namespace {

bool is_kind(const Manifest& manifest, std::string_view group, std::string_view kind) {
  return manifest.object.kind() == kind && manifest.object.group_version_kind().group == group;
}

bool is_definition(const Manifest& manifest) {
  return is_kind(manifest, "apiextensions.k8s.io", "CustomResourceDefinition");
}

Action action_of(const Manifest& manifest) {
  if (is_removal(manifest)) return Action::remove;
  return is_create_only(manifest) ? Action::create : Action::apply;
}

Wait wait_of(const Manifest& manifest) {
  if (is_removal(manifest)) return Wait::nothing;
  if (is_definition(manifest)) return Wait::established;
  for (const char* kind : {"Deployment", "DaemonSet", "StatefulSet"})
    if (is_kind(manifest, "apps", kind)) return Wait::rolled_out;
  if (is_kind(manifest, "batch", "Job")) return Wait::complete;
  if (is_kind(manifest, "apiregistration.k8s.io", "APIService")) return Wait::available;
  const auto& cluster_operator = openshift::ClusterOperator::resource;
  if (is_kind(manifest, cluster_operator.group, cluster_operator.kind)) return Wait::cluster_operator;
  return Wait::nothing;
}

/// Returns the name of a manifest's step. It contains the group, as objects that differ only in it are
/// different.
std::string name_of(const Manifest& manifest) {
  const k8s::Key key = manifest.object.key();
  return manifest.file + ": " + to_lower(manifest.object.group_version_kind().group_kind().to_string()) +
         " \"" + key.to_string() + "\"";
}

/// Moves the manifest of the Deployment `own` out of its level into one of its own, before it.
void put_first(std::vector<Level>& levels, const std::vector<Manifest>& manifests, const k8s::Key& own) {
  const auto is_own = [&](std::size_t i) {
    return is_kind(manifests[i], "apps", "Deployment") && manifests[i].object.key() == own &&
           !is_removal(manifests[i]);
  };
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (Chain& chain : levels[i]) {
      const auto at = std::ranges::find_if(chain, is_own);
      if (at == chain.end()) continue;
      const std::size_t manifest = *at;
      chain.erase(at);
      if (chain.empty()) std::erase_if(levels[i], [](const Chain& one) { return one.empty(); });
      if (levels[i].empty()) {
        levels[i] = {{manifest}};
      } else {
        levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(i), Level{{manifest}});
      }
      return;
    }
  }
}

}  // namespace

std::string_view to_string(Action action) {
  switch (action) {
    case Action::apply:
      return "apply";
    case Action::create:
      return "create";
    case Action::remove:
      return "remove";
    case Action::migrate:
      return "migrate";
    case Action::join:
      return "join";
  }
  return "";
}

std::string_view to_string(Wait wait) {
  switch (wait) {
    case Wait::nothing:
      return "nothing";
    case Wait::established:
      return "established";
    case Wait::rolled_out:
      return "rolled out";
    case Wait::complete:
      return "complete";
    case Wait::available:
      return "available";
    case Wait::cluster_operator:
      return "cluster operator";
  }
  return "";
}

std::size_t Plan::total() const {
  return static_cast<std::size_t>(std::ranges::count_if(steps, [](const PlanStep& s) { return s.counts(); }));
}

Plan make_plan(std::string version, std::vector<Manifest> manifests, Mode mode, const PlanOptions& options) {
  Plan plan{.version = std::move(version), .mode = mode, .manifests = std::move(manifests), .steps = {}};
  std::vector<OrderedTask> tasks;
  tasks.reserve(plan.manifests.size());
  for (const Manifest& manifest : plan.manifests) {
    tasks.push_back(
        {.file = manifest.file, .is_job = is_kind(manifest, "batch", "Job") && !is_removal(manifest)});
  }
  std::vector<Level> levels = run_levels(tasks, mode);
  if (options.own_deployment) put_first(levels, plan.manifests, *options.own_deployment);

  std::vector<std::string> before;  // what the level needs
  for (std::size_t i = 0; i < levels.size(); ++i) {
    PlanStep join{.name = "after level " + std::to_string(i + 1), .needs = {}, .action = Action::join};
    for (const Chain& chain : levels[i]) {
      std::vector<std::string> needs = before;
      for (const std::size_t manifest : chain) {
        const Manifest& one = plan.manifests[manifest];
        plan.steps.push_back({.name = name_of(one),
                              .needs = std::move(needs),
                              .action = action_of(one),
                              .wait = wait_of(one),
                              .manifest = manifest});
        needs = {plan.steps.back().name};
      }
      join.needs.push_back(needs.front());
    }
    before = {join.name};
    plan.steps.push_back(std::move(join));
  }
  for (std::size_t i = 0; i < plan.manifests.size(); ++i) {
    const Manifest& manifest = plan.manifests[i];
    if (!is_definition(manifest) || action_of(manifest) != Action::apply) continue;
    plan.steps.push_back({.name = "migration of " + std::string(manifest.object.name()),
                          .needs = before,
                          .action = Action::migrate,
                          .manifest = i});
  }
  return plan;
}

}  // namespace fairway::payload
