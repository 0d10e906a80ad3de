// The CRDs of ClusterVersion, Channel and ClusterOperator.
#pragma once

#include <string>

namespace fairway::operators {

/// As YAML documents.
std::string definitions();

}  // namespace fairway::operators
