// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/offered_updates.h"

#include <utility>

#include "k8s/condition.h"
#include "openshift/unlisted_updates.h"

namespace fairway::adm {

using openshift::ConditionalUpdate;

OfferedUpdates::OfferedUpdates(const openshift::ClusterVersion& cluster) {
  for (const openshift::ReleaseView& release : cluster.available_updates())
    offered_.emplace(release.version());
  for (const ConditionalUpdate& update : cluster.conditional_updates()) add_conditional(update);
  for (const json::Object& update : openshift::unlisted_updates(cluster))
    add_conditional(ConditionalUpdate(update));
  const auto retrieved = cluster.condition("RetrievedUpdates");
  is_known_ = retrieved && retrieved->is_true();
  lack_.risk.name = not_offered;
  lack_.judged.reason =
      openshift::has_more_unlisted_updates(cluster)
          ? "the operator offers more updates than ClusterVersion can hold, and `fairway risk status` has all"
          : "the lists of ClusterVersion do not have it";
}

void OfferedUpdates::add_conditional(const ConditionalUpdate& update) {
  const std::string version(update.release().version());
  offered_.insert(version);
  const auto recommended = update.condition("Recommended");
  if (recommended && recommended->is_true()) return;
  Objection objection;
  objection.risk.name = "NotRecommended";
  if (recommended) {
    if (!recommended->reason().empty()) objection.risk.name = recommended->reason();
    objection.risk.message = recommended->message();
  }
  if (recommended && recommended->is_false()) {
    objection.judged.state = RiskState::applies;
  } else {
    objection.judged.reason = "the operator does not say that it recommends the update";
  }
  for (const k8s::View& risk : update.risks()) {
    const auto applies = k8s::find_condition(risk, "Applies", "conditions");
    if (!applies || !applies->is_false()) objection.names.emplace(risk.text("name"));
  }
  if (objection.names.empty()) objection.names.insert(objection.risk.name);
  const auto [at, is_new] = not_recommended_.emplace(version, objection);
  if (is_new) return;
  at->second.judged = stricter_of(at->second.judged, objection.judged);
  at->second.names.merge(objection.names);
}

const Objection* OfferedUpdates::against(std::string_view version) const {
  const auto found = not_recommended_.find(version);
  return found == not_recommended_.end() ? nullptr : &found->second;
}

const Objection* OfferedUpdates::lack(std::string_view version) const {
  return is_known_ && !offered_.contains(version) ? &lack_ : nullptr;
}

}  // namespace fairway::adm
