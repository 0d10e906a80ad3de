// SPDX-License-Identifier: Apache-2.0

#include "k8s/set_condition.h"

#include <string>
#include <utility>

namespace fairway::k8s {

void set_condition(json::Array& conditions, std::string_view type, ConditionStatus status,
                   std::string_view reason, std::string_view message, WallTime now, EmptyTexts empty_texts) {
  // The texts may be those of a condition of this very list, which is about to move.
  const std::string new_reason(reason), new_message(message);
  json::Object* found = nullptr;
  for (json::Value& one : conditions) {
    if (json::find_string(one, "type") == type) found = one.if_object();
  }
  if (found == nullptr) found = &conditions.emplace_back(json::Object{{"type", type}}).as_object();
  Editor condition(*found);
  const std::string_view text = to_string(status);
  const bool stays = condition.text("status") == text && condition.find_time("lastTransitionTime");
  condition.set("status", text);
  if (!stays) condition.set_time("lastTransitionTime", now);
  for (const auto& [field, value] : {std::pair{"reason", &new_reason}, std::pair{"message", &new_message}}) {
    if (value->empty() && empty_texts == EmptyTexts::left_out) {
      condition.erase(field);
    } else {
      condition.set(field, *value);
    }
  }
}

}  // namespace fairway::k8s
