// SPDX-License-Identifier: Apache-2.0

// The conditions of a kind of object, and the rules by which they are written.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::k8s {

/// The healthy status: True for a positive condition (Accepted), False for a negative one (Conflicted).
enum class Polarity { positive, negative };

enum class Presence {
  always,       ///< present from the first reconcile on, Unknown until set
  while_true,   ///< present only while True: errors
  when_decided  ///< present from when it is set until it is cleared
};

struct ConditionType {
  std::string name = {};
  Polarity polarity = Polarity::positive;
  Presence presence = Presence::always;
};

struct ConditionPolicy {
  /// The types, in the order in which their conditions are added.
  std::vector<ConditionType> types = {};
  /// True if conditions have observedGeneration. A schema without the field would prune it.
  bool observed_generation = true;
  /// True if a valid reason is required, and the message is written even if empty.
  bool reason_required = true;
  /// Reason and message of a condition that has not been set.
  std::string undecided_reason = "Pending", undecided_message = "waiting for the controller";

  const ConditionType* find(std::string_view name) const;
};

/// Returns the policy of Gateway API and of Fairway's own kinds: positive summaries are always present,
/// errors only while True, and each has observedGeneration. Gateway API GEP-1364, section Should conditions
/// always be added?
ConditionPolicy gateway_policy(std::initializer_list<std::string_view> summaries,
                               std::initializer_list<std::string_view> errors = {});

/// Returns the policy of OpenShift's ClusterVersion: its schema has no observedGeneration, and reason and
/// message are optional.
const ConditionPolicy& cluster_version_policy();

}  // namespace fairway::k8s
