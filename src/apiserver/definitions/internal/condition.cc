#include "apiserver/definitions/internal/condition.h"

#include "k8s/view.h"

namespace fairway::apiserver::definitions {

void set_condition(json::Object& definition, std::string_view type, bool is_true, std::string_view reason,
                   std::string_view message, WallTime now) {
  json::Array& conditions = k8s::Editor(definition).array("status.conditions");
  json::Object* found = nullptr;
  for (json::Value& entry : conditions) {
    if (entry.is_object() && k8s::View(entry.get_object()).text("type") == type) found = &entry.get_object();
  }
  if (found == nullptr) {
    conditions.push_back(json::Object{{"type", type}});
    found = &conditions.back().get_object();
  }
  k8s::Editor condition(*found);
  const std::string_view status = is_true ? "True" : "False";
  const bool changed = condition.text("status") != status;
  condition.set("status", status);
  if (changed) condition.set_time("lastTransitionTime", now);
  condition.set("reason", reason);
  condition.set("message", message);
}

}  // namespace fairway::apiserver::definitions
