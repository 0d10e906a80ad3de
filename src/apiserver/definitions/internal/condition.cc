#include "apiserver/definitions/internal/condition.h"

#include "k8s/set_condition.h"

namespace fairway::apiserver::definitions {

void set_condition(json::Object& definition, std::string_view type, bool is_true, std::string_view reason,
                   std::string_view message, WallTime now) {
  k8s::set_condition(k8s::Editor(definition).array("status.conditions"), type,
                     is_true ? k8s::ConditionStatus::is_true : k8s::ConditionStatus::is_false, reason,
                     message, now);
}

}  // namespace fairway::apiserver::definitions
