// Setting a condition without a policy, for writers whose lists others write to as well; `Conditions` has
// one.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/condition.h"

namespace fairway::k8s {

/// Whether an empty reason or message is written: the conditions that meta/v1 defines must have both.
enum class EmptyTexts { left_out, written };

/// Sets a condition of a list. lastTransitionTime changes with the status alone, or where there is none that
/// can be read. Of several of that type the last is set.
void set_condition(json::Array& conditions, std::string_view type, ConditionStatus status,
                   std::string_view reason, std::string_view message, WallTime now,
                   EmptyTexts empty_texts = EmptyTexts::left_out);

}  // namespace fairway::k8s
