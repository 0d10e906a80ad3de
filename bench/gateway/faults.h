// SPDX-License-Identifier: Apache-2.0

// Faults of objects, and what they cost the good routes beside them.
#pragma once

#include <filesystem>

#include "cluster.h"

namespace fairway::bench {

/// Measures each fault of `folder` (tests/gateway/translation_faults) in a cluster of its own: the conditions
/// of its objects, the answers to its requests, and the given number of changes of 20 good routes beside it,
/// and again after Envoy and after the controller has been killed. Prints lines for people, and a last line
/// of `name value` pairs.
int measure_faults(const std::string& controller, const std::string& envoy,
                   const std::filesystem::path& folder, int changes);

}  // namespace fairway::bench
