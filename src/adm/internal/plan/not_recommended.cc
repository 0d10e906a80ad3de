// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/not_recommended.h"

#include <utility>

#include "openshift/unlisted_updates.h"

namespace fairway::adm {
namespace {

using openshift::ConditionalUpdate;

void add(const ConditionalUpdate& update, std::map<std::string, PlannedRisk, std::less<>>& found) {
  const auto recommended = update.condition("Recommended");
  if (recommended && recommended->is_true()) return;
  PlannedRisk risk{.is_of_operator = true};
  risk.risk.name = "NotRecommended";
  if (recommended) {
    if (!recommended->reason().empty()) risk.risk.name = recommended->reason();
    risk.risk.message = recommended->message();
  }
  if (recommended && recommended->is_false()) {
    risk.judged.state = RiskState::applies;
  } else {
    risk.judged.reason = "the operator does not say that it recommends the update";
  }
  const auto [at, is_new] = found.emplace(update.release().version(), risk);
  if (!is_new) at->second.judged = stricter_of(at->second.judged, risk.judged);
}

}  // namespace

std::map<std::string, PlannedRisk, std::less<>> not_recommended(const openshift::ClusterVersion& cluster) {
  std::map<std::string, PlannedRisk, std::less<>> found;
  for (const ConditionalUpdate& update : cluster.conditional_updates()) add(update, found);
  for (const json::Object& update : openshift::unlisted_updates(cluster))
    add(ConditionalUpdate(update), found);
  return found;
}

}  // namespace fairway::adm
