// SPDX-License-Identifier: Apache-2.0

// Setting a condition without a policy, for writers whose lists others write to as well; `Conditions` has
// one.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/condition.h"

namespace fairway::k8s {

/// Treatment of an empty reason or message: conditions as meta/v1 defines them must have both.
enum class EmptyTexts { left_out, written };

/// Sets a condition of a list. lastTransitionTime changes only with the status, or if there is no valid one.
/// If several conditions have the type, the last one is set.
void set_condition(json::Array& conditions, std::string_view type, ConditionStatus status,
                   std::string_view reason, std::string_view message, WallTime now,
                   EmptyTexts empty_texts = EmptyTexts::left_out);

}  // namespace fairway::k8s
