// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/status_condition.h"

#include "k8s/set_condition.h"

namespace fairway::apiserver::objects {

void set_status_condition(k8s::Editor& object, std::string_view type, bool is, std::string_view reason,
                          std::string_view message, WallTime now) {
  k8s::set_condition(object.array("status.conditions"), type,
                     is ? k8s::ConditionStatus::is_true : k8s::ConditionStatus::is_false, reason, message,
                     now);
}

}  // namespace fairway::apiserver::objects
