// SPDX-License-Identifier: Apache-2.0

#include "k8s/condition_policy.h"

#include <algorithm>

namespace fairway::k8s {

const ConditionType* ConditionPolicy::find(std::string_view name) const {
  const auto found = std::ranges::find(types, name, &ConditionType::name);
  return found != types.end() ? &*found : nullptr;
}

ConditionPolicy gateway_policy(std::initializer_list<std::string_view> summaries,
                               std::initializer_list<std::string_view> errors) {
  ConditionPolicy policy;
  for (const std::string_view name : summaries) policy.types.push_back({std::string(name)});
  for (const std::string_view name : errors) {
    policy.types.push_back({std::string(name), Polarity::negative, Presence::while_true});
  }
  return policy;
}

const ConditionPolicy& cluster_version_policy() {
  static const ConditionPolicy policy = {
      .types = {{"Available"},
                {"Failing", Polarity::negative},
                {"ImplicitlyEnabledCapabilities", Polarity::negative},
                {"Progressing", Polarity::negative},
                {"ReleaseAccepted"},
                {"RetrievedUpdates"},
                // Both say something only where something is in the way of updates.
                {"Upgradeable", Polarity::positive, Presence::when_decided},
                {"Invalid", Polarity::negative, Presence::while_true}},
      .observed_generation = false,
      .reason_required = false,
  };
  return policy;
}

}  // namespace fairway::k8s
