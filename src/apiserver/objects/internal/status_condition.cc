#include "apiserver/objects/internal/status_condition.h"

#include <algorithm>
#include <utility>

namespace fairway::apiserver {

void set_status_condition(k8s::Dynamic& object, std::string_view type, bool is, std::string_view reason,
                          std::string_view message, WallTime now) {
  const std::string_view status = is ? "True" : "False";
  auto conditions = object.edit_items("status.conditions");
  const auto found =
      std::ranges::find_if(conditions, [&](const k8s::Editor& one) { return one.text("type") == type; });
  k8s::Editor condition = found != conditions.end() ? *found : object.append("status.conditions");
  if (condition.text("status") != status) condition.set_time("lastTransitionTime", now);
  condition.set("type", type);
  condition.set("status", status);
  for (const auto& [member, text] : {std::pair{"reason", reason}, std::pair{"message", message}}) {
    if (text.empty()) {
      condition.erase(member);
    } else {
      condition.set(member, text);
    }
  }
}

}  // namespace fairway::apiserver
