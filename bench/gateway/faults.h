// Faults of objects, and what they cost the good routes beside them.
#pragma once

#include <filesystem>

#include "cluster.h"

namespace fairway::bench {

/// Each fault of `folder` (tests/gateway/translation_faults) in a cluster of its own: what its objects'
/// conditions say, what their requests get, and so many changes of 20 good routes beside it, again after
/// Envoy and again after the controller was killed. Prints lines for people, and last one of `name value`
/// pairs.
int measure_faults(const std::string& controller, const std::string& envoy,
                   const std::filesystem::path& folder, int changes);

}  // namespace fairway::bench
