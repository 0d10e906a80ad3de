// Several problems in one message.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "k8s/conditions.h"

namespace fairway::gateway {

/// The most of many things that a message names.
inline constexpr std::size_t most_named = 5;

/// Returns the messages of the first problems, and how many more there are.
std::string first_of(const std::vector<k8s::ConditionError>& problems);

}  // namespace fairway::gateway
