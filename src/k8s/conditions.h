// SPDX-License-Identifier: Apache-2.0

// Writing the conditions of an object's status: one helper for every kind.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/condition.h"
#include "k8s/condition_policy.h"
#include "k8s/object.h"

namespace fairway::k8s {

/// A problem: the reason is for machines (see `is_condition_reason`), the message for people.
struct ConditionError {
  std::string reason = {}, message = {};
  bool operator==(const ConditionError&) const = default;
};

/// The conditions of one list of an object's status, written by a kind's policy. `lastTransitionTime` changes
/// only when the status does; conditions that the policy does not name and that are not set stay unchanged.
///
/// Construction normalizes the list: conditions that must always be present are added as Unknown, errors that
/// are not True are removed, and "" becomes Unknown. After that a condition changes only if it is set;
/// otherwise it keeps its status and its observedGeneration.
///
/// `observedGeneration` never goes back: a condition that refers to a newer generation than the object has
/// here is left unchanged, whatever is set. Another replica has seen a newer object, or this one is stale.
///
/// A type can be set if the policy names it, or if it is a custom one with a domain prefix:
/// "example.com/Warm". Setting any other type, or no valid reason where one is required, is a bug in
/// the program and throws std::logic_error. Validate reasons from outside with
/// `is_condition_reason`.
class Conditions {
 public:
  /// Opens the conditions in `status.conditions`. The object must not move and must outlive this; the policy
  /// is kept by reference.
  Conditions(Dynamic& object, const ConditionPolicy& policy, const Clock& clock)
      : Conditions(object, {}, 0, policy, clock) {}
  /// Opens the conditions of one item of a list: `status.parents[2].conditions` is ("status.parents", 2). The
  /// list may change meanwhile: each access finds the item by the members that identify it in the lists of
  /// Kubernetes and of the Gateway API (`parentRef`, `ancestorRef`, `controllerName`, `name`, as they were at
  /// construction; by its index if it has none of these), and throws std::out_of_range if it is gone. Set
  /// these members first.
  Conditions(Dynamic& object, std::string_view items, std::size_t index, const ConditionPolicy& policy,
             const Clock& clock);
  Conditions(Dynamic&, ConditionPolicy&&, const Clock&) = delete;
  Conditions(Dynamic&, std::string_view, std::size_t, ConditionPolicy&&, const Clock&) = delete;

  void set_true(std::string_view type, std::string_view reason = {}, std::string_view message = {});
  /// Sets a condition to False. An error that is present only while True is removed.
  void set_false(std::string_view type, std::string_view reason = {}, std::string_view message = {});
  /// Sets a condition to Unknown. Not for errors that are present only while True: their absence would mean
  /// that there is no error.
  void unknown(std::string_view type, std::string_view reason = {}, std::string_view message = {});

  /// Sets a negative condition: True with the problem's reason and message if there is a problem; otherwise
  /// as `clear`.
  void error(std::string_view type, const std::optional<ConditionError>& problem);
  void error(std::string_view type, std::string_view reason, std::string_view message);
  /// Clears an error: the condition is removed, or set to False if it must always be present. Any other
  /// condition is removed; it must not be one that is always present.
  void clear(std::string_view type);

  std::optional<Condition> find(std::string_view type) const;
  bool is_true(std::string_view type) const;
  /// Returns whether the list has changed since construction, compared by `same_conditions`.
  bool changed() const;
  /// Returns whether a condition of the list refers to a newer generation than the object has: setting it is
  /// ignored. Read the object again.
  bool is_outdated() const;

 private:
  json::Array& list() const;
  /// Returns the item that has the list.
  json::Object& item() const;
  /// Returns whether the condition refers to a newer generation than the object has.
  bool is_newer(const Condition& condition) const;
  void set(std::string_view type, ConditionStatus status, std::string_view reason, std::string_view message);
  void set_text(Editor& condition, std::string_view field, const std::string& text) const;
  /// Returns the policy's entry for a type; custom types are positive and present when decided.
  ConditionType type_of(std::string_view type) const;
  json::Object* entry(std::string_view type) const;
  void remove(std::string_view type);

  Dynamic& object_;
  const std::string items_;  ///< the path of the list that has the item; empty: the object's own conditions
  const std::size_t index_;
  json::Object identity_;  ///< the members that identify the item
  const ConditionPolicy& policy_;
  const Clock& clock_;
  json::Array before_;
};

}  // namespace fairway::k8s
