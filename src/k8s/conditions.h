// Writing the conditions of an object's status: one helper for every kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/condition.h"
#include "k8s/condition_policy.h"
#include "k8s/object.h"

namespace fairway::k8s {

/// What is wrong: the reason is for machines (see `is_condition_reason`), the message for people.
struct Problem {
  std::string reason, message;
};

/// The conditions of one list, written by a kind's policy. `lastTransitionTime` moves only when the status
/// does; conditions that the policy does not name, and that nobody sets, stay as they are.
///
/// On construction the list is brought in line: what must always be there is added as Unknown, errors that
/// are not True go, and "" becomes Unknown. After that a condition changes only where it is set; one that is
/// not set keeps what it says, and the generation of which it says it.
///
/// A type may be set if the policy names it, or if it is of one's own, with a domain before it:
/// "example.com/Warm". Setting any other, or giving no valid reason where one is needed, is a fault of the
/// program and throws std::logic_error. Reasons that come from outside are checked with
/// `is_condition_reason`.
class Conditions {
 public:
  /// `list` must outlive this and not be changed beside it. `generation` is the object's, as it was read.
  Conditions(json::Array& list, const ConditionPolicy& policy, std::int64_t generation, const Clock& clock);
  /// Those in `status.conditions`.
  Conditions(Dynamic& object, const ConditionPolicy& policy, const Clock& clock)
      : Conditions(object.array("status.conditions"), policy, object.generation(), clock) {}
  /// The policy is kept by reference.
  Conditions(json::Array&, ConditionPolicy&&, std::int64_t, const Clock&) = delete;
  Conditions(Dynamic&, ConditionPolicy&&, const Clock&) = delete;

  void set_true(std::string_view type, std::string_view reason = {}, std::string_view message = {});
  /// An error that is only there while true is removed by this.
  void set_false(std::string_view type, std::string_view reason = {}, std::string_view message = {});
  /// Not for errors that are only there while true: to say nothing would say that there is none.
  void unknown(std::string_view type, std::string_view reason = {}, std::string_view message = {});

  /// A negative condition: True with the problem's reason and message where there is a problem; otherwise as
  /// `clear`.
  void error(std::string_view type, const std::optional<Problem>& problem);
  void error(std::string_view type, std::string_view reason, std::string_view message);
  /// There is no such error: the condition goes, or is False where it must always be there. A condition of
  /// another kind is only removed by this, and must not be one that is always there.
  void clear(std::string_view type);

  std::optional<Condition> find(std::string_view type) const;
  bool is_true(std::string_view type) const;
  /// Whether the list says something else than when this was made, as `same_conditions` compares.
  bool changed() const;

 private:
  void set(std::string_view type, ConditionStatus status, std::string_view reason, std::string_view message);
  void set_text(Editor& condition, std::string_view field, const std::string& text) const;
  /// What the policy says of a type; for one of one's own, that it is positive and there when decided.
  ConditionType type_of(std::string_view type) const;
  json::Object* entry(std::string_view type) const;
  void remove(std::string_view type);

  json::Array& list_;
  const ConditionPolicy& policy_;
  std::int64_t generation_;
  const Clock& clock_;
  json::Array before_;
};

}  // namespace fairway::k8s
