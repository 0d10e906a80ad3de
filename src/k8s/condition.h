// SPDX-License-Identifier: Apache-2.0

// Conditions of an object's status, for reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "k8s/view.h"

namespace fairway::k8s {

enum class ConditionStatus { is_true, is_false, unknown };

/// Returns "True", "False" or "Unknown".
std::string_view to_string(ConditionStatus status);
/// Reads a status. "" means Unknown (Gateway API GEP-1364, section Background), and so does any other
/// unrecognized value.
ConditionStatus read_condition_status(std::string_view text);

class Condition : public View {
 public:
  using View::View;
  std::string_view type() const { return text("type"); }
  ConditionStatus status() const { return read_condition_status(text("status")); }
  bool is_true() const { return status() == ConditionStatus::is_true; }
  bool is_false() const { return status() == ConditionStatus::is_false; }
  std::string_view reason() const { return text("reason"); }
  std::string_view message() const { return text("message"); }
  std::optional<WallTime> last_transition() const { return find_time("lastTransitionTime"); }
  /// Returns observedGeneration; std::nullopt if the condition has none.
  std::optional<std::int64_t> observed_generation() const { return find_integer("observedGeneration"); }
};

/// Returns the condition of a type in the list at `path` of an object.
std::optional<Condition> find_condition(const View& object, std::string_view type,
                                        std::string_view path = "status.conditions");

/// Returns whether two lists are equal as a server stores them: times to the second, null as absent, "" as
/// Unknown, in any order.
bool same_conditions(const json::Array& a, const json::Array& b);

/// Returns whether a text is a valid condition reason: "BackendNotFound".
bool is_condition_reason(std::string_view text);

}  // namespace fairway::k8s
