// Which conditions a kind of object has, and how they are written.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::k8s {

/// What a healthy object says: True to a positive condition (Accepted), False to a negative one (Conflicted).
enum class Polarity { positive, negative };

enum class Presence {
  always,       ///< from the first time the object is seen on, Unknown until it is decided
  while_true,   ///< only as long as it is True: errors
  when_decided  ///< as soon as somebody sets it, and until somebody clears it
};

struct ConditionType {
  std::string name;
  Polarity polarity = Polarity::positive;
  Presence presence = Presence::always;
};

struct ConditionPolicy {
  /// In the order in which they are first written.
  std::vector<ConditionType> types;
  /// Whether each condition says of which generation it speaks. A schema without the field would lose it.
  bool observed_generation = true;
  /// Whether a reason must be given, in the form that the API demands, and a message is written though empty.
  bool reason_required = true;
  /// What a condition that nobody has decided says.
  std::string undecided_reason = "Pending", undecided_message = "waiting for the controller";

  const ConditionType* find(std::string_view name) const;
};

/// The rule for Gateway API and for all kinds of ours: positive summaries are always there, errors only while
/// true, and each says of which generation it speaks.
/// spec: status-and-conditions, Should conditions always be added?
ConditionPolicy gateway_policy(std::initializer_list<std::string_view> summaries,
                               std::initializer_list<std::string_view> errors = {});

/// OpenShift's ClusterVersion: its schema has no observedGeneration, and reasons and messages may be missing.
const ConditionPolicy& cluster_version_policy();

}  // namespace fairway::k8s
