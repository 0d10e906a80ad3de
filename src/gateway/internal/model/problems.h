// SPDX-License-Identifier: Apache-2.0

// Several problems in one message.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "k8s/conditions.h"

namespace fairway::gateway {

/// Longest list of problems in a message; the rest is counted.
inline constexpr std::size_t most_named = 5;

/// Returns the messages of the first problems, and the number of the others.
std::string first_of(const std::vector<k8s::ConditionError>& problems);

}  // namespace fairway::gateway
