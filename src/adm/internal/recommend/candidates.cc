// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/recommend/candidates.h"

#include <algorithm>
#include <string_view>

#include "adm/internal/release_version.h"
#include "adm/internal/texts.h"
#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ConditionalUpdate;
using openshift::ReleaseView;

/// Reason for an update that has risks without a condition that says whether they matter here.
constexpr std::string_view no_conditions = "NoConditions";

std::optional<Concern> concern_of(const ConditionalUpdate& update) {
  const auto risks = update.risks();
  if (risks.empty()) return std::nullopt;
  if (const auto recommended = update.condition("Recommended")) {
    if (recommended->is_true()) return std::nullopt;
    return Concern{std::string(status_of(*recommended)), std::string(recommended->reason()),
                   std::string(recommended->message())};
  }
  std::vector<std::string> names;
  for (const k8s::View& risk : risks) names.emplace_back(risk.text("name"));
  std::ranges::sort(names);
  return Concern{"Unknown", std::string(no_conditions),
                 "Conditional update to " + std::string(update.release().version()) + " has risks (" +
                     join(names, ", ") + "), but no conditions."};
}

/// Makes Upgradeable=False a concern about an update, unless a risk of it says so already.
void add_upgradeable(const k8s::Condition& upgradeable, const std::vector<k8s::View>& risks,
                     Candidate& candidate) {
  const bool known = std::ranges::any_of(
      risks, [&](const k8s::View& risk) { return risk.text("message").contains(upgradeable.message()); });
  if (known) return;
  const std::string message(upgradeable.message());
  if (candidate.concern && candidate.concern->reason != no_conditions) {
    candidate.concern = Concern{"False", "MultipleReasons", message + "\n\n" + candidate.concern->message};
  } else {
    candidate.concern = Concern{"False", std::string(upgradeable.reason()), message};
  }
}

}  // namespace

Candidates find_candidates(const openshift::ClusterVersion& cluster, bool quiet, CommandResult& answer) {
  Candidates candidates;
  const auto upgradeable = cluster.condition("Upgradeable");
  const bool held = upgradeable && upgradeable->is_false();
  const auto current = read_version(cluster.desired().version());
  const auto add = [&](const ReleaseView& release, const std::vector<k8s::View>& risks,
                       std::optional<Concern> concern) {
    const auto version = read_version(release.version());
    if (!version) {
      if (!quiet)
        answer.err += "warning: Cannot parse SemVer available update " + quote(release.version()) + ": " +
                      version.error().message + "\n";
      return;
    }
    Candidate candidate{std::string(release.version()), std::string(release.image()),
                        std::string(release.url()), std::move(concern)};
    const std::pair minor{version->major(), version->minor()};
    if (held && current && minor > std::pair{current->major(), current->minor()})
      add_upgradeable(*upgradeable, risks, candidate);
    candidates[minor].push_back(std::move(candidate));
  };
  const std::vector<ConditionalUpdate> conditional = cluster.conditional_updates();
  for (const ConditionalUpdate& update : conditional)
    add(update.release(), update.risks(), concern_of(update));
  for (const ReleaseView& release : cluster.available_updates()) {
    const bool seen = std::ranges::any_of(conditional, [&](const ConditionalUpdate& update) {
      return update.release().image() == release.image();
    });
    if (!seen) add(release, {}, std::nullopt);
  }
  if (held && !current && !quiet)
    answer.err +=
        "warning: Cannot inject Upgradeable=False as a conditional update risk: cannot parse SemVer "
        "version " +
        quote(cluster.desired().version()) + ": " + current.error().message +
        "\n\nReason: " + std::string(upgradeable->reason()) +
        "\n  Message: " + indented(upgradeable->message()) + "\n\n";
  for (auto& [minor, list] : candidates) std::ranges::stable_sort(list, is_shown_before, &Candidate::version);
  return candidates;
}

}  // namespace fairway::adm
