// SPDX-License-Identifier: Apache-2.0

// The table of the conditions of Gateway API, by which they are set, and from which
// docs/gateway-conditions.md is written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/condition.h"
#include "k8s/condition_policy.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

/// The kinds of owners of conditions. A listener is one of a Gateway or an entry of a ListenerSet.
enum class Level { gateway_class, gateway, listener_set, listener, route, policy };

/// One line of the table: a condition may have this status with this reason.
struct ConditionRow {
  Level level;
  std::string_view type;
  k8s::ConditionStatus status;
  std::string_view reason;
  std::string_view when;
  /// The source of this row: GEP-1364 (status and conditions), the API's documentation (v1.7.0), or Fairway.
  std::string_view rule;
};

std::span<const ConditionRow> condition_table();
/// Returns the conditions of a level, in the order in which they are added.
const k8s::ConditionPolicy& conditions_of(Level level);
/// Returns the text of docs/gateway-conditions.md.
std::string conditions_page();

/// The values that a condition is to have.
struct Verdict {
  std::string type;
  k8s::ConditionStatus status = k8s::ConditionStatus::unknown;
  std::string reason, message;
  bool operator==(const Verdict&) const = default;
};

/// The verdicts on the conditions of one level of an object. Each verdict must be a row of the table: any
/// other is a bug and throws std::logic_error.
class Verdicts {
 public:
  explicit Verdicts(Level level) : level_(level) {}

  void set(std::string_view type, k8s::ConditionStatus status, std::string_view reason,
           std::string_view message);
  void set_true(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, k8s::ConditionStatus::is_true, reason, message);
  }
  void set_false(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, k8s::ConditionStatus::is_false, reason, message);
  }
  void set_unknown(std::string_view type, std::string_view message) {
    set(type, k8s::ConditionStatus::unknown, "Pending", message);
  }

  const Verdict* find(std::string_view type) const;
  bool is_true(std::string_view type) const;
  Level level() const { return level_; }

  /// Writes all conditions of the level. Those without a verdict are removed, unless they must always be
  /// present.
  void write(k8s::Conditions& conditions) const;
  bool operator==(const Verdicts&) const = default;

 private:
  Level level_;
  std::vector<Verdict> all_;
};

}  // namespace fairway::gateway
