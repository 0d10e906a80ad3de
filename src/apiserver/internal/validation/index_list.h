// SPDX-License-Identifier: Apache-2.0

// Lists of indices of a Job: "1,3-5,7".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace fairway::apiserver::validation {

/// Counts the indices of a list, which must ascend and be less than `completions`. Errors have the words of
/// Kubernetes.
Result<std::int64_t> count_indices(std::string_view text, std::int64_t completions);

}  // namespace fairway::apiserver::validation
